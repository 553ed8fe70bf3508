"""Ordinary text of the world's scripts and emoji: refused nowhere, changed nowhere (spec 1.7)."""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import unicodedata

import pytest

from bxcore.sanitize import has_secret, neutralise, one_line, redact, refuse

FLAG = "\U0001f3f4"


def tagged(region: str) -> str:
    return FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"


EMOJI = {
    "flags of countries": "🇳🇴 🇯🇵 🇺🇳 🇧🇷🇩🇪",
    "flags of regions": " ".join(map(tagged, ("gbeng", "gbsct", "gbwls"))),
    "flags joined": "🏳️‍🌈 🏳️‍⚧️ 🏴‍☠️",
    "families": "👨‍👩‍👧‍👦 👩‍👩‍👦 👨‍👦",
    "couples": "👩‍❤️‍👨 👨‍❤️‍💋‍👨 🧑🏻‍🤝‍🧑🏿",
    "professions": "👩‍🚀 🧑🏽‍💻 👨‍⚕️ 🕵️‍♀️",
    "skin tones": "👋🏻 👍🏽 ✌🏿 ☝🏼",
    "keycaps": "1️⃣ 0️⃣ #️⃣ *️⃣",
    "text and emoji style": "☀︎ ☀️ ❤️ ✈︎ ™️ ©️ ‼️ ↔️ Ⓜ️ ㊗️",
    "hair and directions": "👨‍🦰 🏃‍➡️ 🐻‍❄️ ❤️‍🔥 😶‍🌫️",
}
SCRIPTS = {
    "Latin with marks": "naïve café Ærøskøbing Straße İstanbul Łódź Việt Nam ḍeḍ e\u0301 o\u0302\u0323",
    "Greek": "Θάλασσα, ὦ ἄνδρες Ἀθηναῖοι",
    "Cyrillic": "Привет, мир! Ѓорѓе ўсё й",
    "Hebrew with points": "שָׁלוֹם עוֹלָם, בְּרֵאשִׁית",
    "Arabic with marks": "السَّلَامُ عَلَيْكُم، ﷽",
    "Persian": "می‌خواهم نمی‌دانم خانه‌ها",
    "Urdu": "یہ اُردو ہے",
    "Syriac": "ܫܠܡܐ ܥܠܡܐ",
    "Hindi": "क्‍ष न्‍ नमस्ते क्‌ष",
    "Marathi": "दऱ्‍या",
    "Bengali": "র‍্যাব ক্‌ষ বাংলা",
    "Sinhala": "ශ්‍රී ලංකා ක්‍ෂ",
    "Malayalam": "അവന്‍ ന്‍ മലയാളം",
    "Tamil": "தமிழ் க்‌ஷ",
    "Kannada": "ರ್‍ಯ ಕನ್ನಡ",
    "Telugu": "తెలుగు క్‌ష",
    "Tibetan": "བོད་སྐད་",
    "Khmer": "ភាសាខ្មែរ",
    "Myanmar": "မြန်မာဘာသာ",
    "Thai": "สวัสดีชาวโลก น้ำ",
    "Lao": "ສະບາຍດີ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌ ᠨ᠋",
    "Chinese": "你好，世界。「引」『号』《书》、全角：１２３",
    "Chinese variants": "葛\U000e0100城市 辻\U000e0101 邉\U000e0104",
    "Japanese": "日本語テキスト、ひらがな カタカナ ｶﾀｶﾅ 々〆",
    "Korean": "한국어 안녕하세요",
    "Korean in Jamo": unicodedata.normalize("NFD", "한국어 안녕하세요"),
    "Georgian": "გამარჯობა ᲒᲐᲛᲐᲠᲯᲝᲑᲐ",
    "Armenian": "Բարեւ աշխարհ",
    "Ethiopic": "ሰላም ልዑል",
    "Cherokee": "ᎣᏏᏲ ᏣᎳᎩ",
    "Canadian syllabics": "ᐊᐃ ᐃᓄᒃᑎᑐᑦ",
    "Gothic": "𐌲𐌿𐍄𐌰",
    "Cuneiform": "𒀀𒁀 𓀀𓂀",
    "N'Ko": "ߒߞߏ",
    "Adlam": "𞤀𞤣𞤤𞤢𞤥",
    "mathematics": "∑ √2 ≠ ±1 ∀x∈ℝ: ⟨a|b⟩ 𝔸𝒷𝟙 x² ₁ ½ ∫₀^∞ ∂ ⊗ ⇒",
    "signs": "“quotes” ‘x’ … – — · • † ‡ § ¶ © ® ™ € £ ¥ № ♯ ♭ ␀ ␤ ░▒▓ ┌─┐ ⠓⠑⠇⠇⠕",
    "spaces": "a\u00a0b\u2009c\u3000d\u202fe",
    "phonetics": "/ˈɪŋɡlɪʃ/ tʰ ɲ̊ ə˞",
}
TEXTS = {**EMOJI, **SCRIPTS}


@pytest.mark.parametrize("name", TEXTS)
def test_ordinary_text_is_not_refused_and_comes_back_unchanged(name: str) -> None:
    for text in (TEXTS[name], f"so: {TEXTS[name]}, and\n{TEXTS[name]}", "".join(TEXTS[name].split())):
        assert refuse(text) is None
        assert neutralise(text) == text
        assert not has_secret(text)
        assert redact(text) == text


@pytest.mark.parametrize("name", TEXTS)
def test_ordinary_text_is_the_same_on_one_line(name: str) -> None:
    assert one_line(TEXTS[name], 10_000) == TEXTS[name]


def test_only_the_flags_of_regions_may_hold_tag_characters() -> None:
    assert refuse(tagged("gbeng") * 3) is None
    for text in (
        tagged("usca"),
        tagged("gbeng")[:-1],
        tagged("gbeng")[1:],
        f"{tagged('gbeng')}\U000e0041",
        f"{FLAG}\U000e0041",
        f"a{tagged('gbsct')[1:]}",
    ):
        refusal = refuse(text)
        assert refusal is not None
        assert refusal.rule == "invisible"


def test_what_hides_in_a_flag_is_looked_through() -> None:
    token = "ghp_" + "A1b2C3d4E5f6" * 3
    assert has_secret(f"{token[:9]}{tagged('gbwls')[1:]}{token[9:]}")
