"""Fetching from the Internet over a transport of ours (spec 2.5). Its children import it: it stays empty."""
