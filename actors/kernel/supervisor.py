"""Supervisors: ordered start and stop, restarts by strategy, escalation (spec 5.1, semantics of OTP)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import assert_never

from actors.kernel.actor import Actor
from actors.kernel.child import Child
from actors.kernel.errors import ChildNeverReady, GaveUp, NeverReady
from actors.kernel.launch import fence
from actors.kernel.life import Context, Life, Reason
from actors.kernel.tree_view import State, SupervisorView
from bxcore.intensity import add_restart
from bxcore.messages.supervision import (
    Done,
    Down,
    Dying,
    Overdue,
    RestartChild,
    StartChild,
    StartStopped,
    StopChild,
    SupervisorMessage,
    TryAgain,
)
from bxcore.supervision import SupervisorSpec, affected, restarts, validate, validate_child


class Supervisor(Actor):
    """Keeps its children; blocks only while it starts or stops one, and a stop of its own cuts that short."""

    def __init__(self, context: Context, spec: SupervisorSpec) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._spec = spec
        self._children: dict[str, Child] = {}
        self._history: tuple[float, ...] = ()
        self._starting: Life | None = None
        self._unwanted = False
        self._up = False
        self._since_s = self._runtime.world.wall()

    def on_start(self) -> None:
        """Start the static children in order, each ready before the next; one failed start fails all."""
        problems = validate(self._spec)
        if problems:
            raise NeverReady("; ".join(problems))
        for spec in self._spec.children:
            box = self._runtime.mailbox(spec.name, bound=spec.bound)
            self._children[spec.name] = Child(self._runtime, spec, box)
        self._start_in_order(self._children.values(), first=True)
        self._up = True
        self._publish()

    def on_receive(self, message: SupervisorMessage) -> object:
        """News of ends, its own reminders, and the operator's wishes."""
        done: Done | None = None
        match message:
            case Down():
                self._on_down(message)
            case Dying():
                self._remind(message.name, message.incarnation)
            case TryAgain():
                self._on_try_again(message)
            case Overdue():
                self._on_overdue(message)
            case StartChild():
                self._on_start_child(message)
            case RestartChild():
                done = self._on_restart_child(message.name)
            case StopChild():
                done = self._on_stop_child(message.name)
            case StartStopped():
                done = self._on_start_stopped(message.name)
            case _:
                assert_never(message)
        return done

    def on_stop(self) -> None:
        """Stop the children in reverse; their mailboxes close unless this supervisor comes back."""
        self._stop_all()

    def cut(self) -> None:
        """A stop is wanted: wait no longer for a child that is starting. Any thread."""
        self._unwanted = True
        starting = self._starting
        if starting is not None:
            starting.ready.set_if_pending(None)

    # Starting.

    def _start_in_order(self, children: Iterable[Child], *, first: bool = False) -> None:
        """Start each that is not stopped by hand; after a failure the rest waits with it for another try."""
        waiting = False
        for child in list(children):
            if self._unwanted:
                break
            if waiting:
                child.enter(State.RESTARTING)
            elif not self._start(child):
                if first and child.spec.backoff is None and not self._unwanted:
                    self._stop_all()
                    raise ChildNeverReady(_no_start(child))
                self._try_later(child)
                waiting = len(affected(self._spec.strategy, list(self._children), child.spec.name)) > 1
        self._publish()

    def _start(self, child: Child) -> bool:
        self._starting = life = child.launch(self.box)
        if self._unwanted:
            life.ready.set_if_pending(None)
        self._publish()
        ready = child.await_ready(life)
        self._starting = None
        return ready

    def _try_later(self, child: Child) -> None:
        """Tell oneself to try again: at once, or after a network child's rest."""
        again = TryAgain(name=child.spec.name, incarnation=child.incarnation)
        backoff = child.spec.backoff
        self.tell_later(0.0 if backoff is None else child.rest_s(backoff), again)

    # Ends and restarts.

    def _on_down(self, news: Down) -> None:
        child = self._children.get(news.name)
        if child is None or child.incarnation != news.incarnation or child.state is not State.RUNNING:
            return
        crashed = news.reason in {"crashed", "start_failed"}
        child.last_error = news.error if crashed else child.last_error
        if not restarts(child.spec.restart, crashed=crashed):
            self._let_rest(child)
        else:
            child.enter(State.RESTARTING)
            self._restart_or_rest(child)
        self._publish()

    def _restart_or_rest(self, child: Child) -> None:
        if child.spec.backoff is not None:
            self._stop_affected(child)
            self._try_later(child)
        else:
            self._restart(child)

    def _on_try_again(self, again: TryAgain) -> None:
        child = self._children.get(again.name)
        if child is None or child.incarnation != again.incarnation or child.state is not State.RESTARTING:
            return
        self._restart(child)

    def _restart(self, child: Child) -> None:
        """Count a strike, then restart the child and whom the strategy names with it."""
        if child.spec.backoff is None:
            self._strike(child)
        if self._spec.max_children is not None:
            self._launch_dynamic(child)
        else:
            self._start_in_order(self._stop_affected(child))

    def _strike(self, child: Child) -> None:
        spec = self._spec
        self._history, over = add_restart(
            self._history, self.now(), intensity=spec.intensity, period_s=spec.period_s
        )
        if over:
            raise GaveUp(
                f"{child.spec.name} was the last of {len(self._history)} restarts"
                f" within {spec.period_s:g} s ({child.last_error})"
            )

    def _stop_affected(self, failed: Child) -> list[Child]:
        """Stop in reverse whom the strategy restarts with ``failed``; those to be started again, in order."""
        names = affected(self._spec.strategy, list(self._children), failed.spec.name)
        group = [self._children[name] for name in names]
        for child in reversed(group):
            if child.state is State.RUNNING:
                self._stop_child(child, comes_back=not child.temporary)
                child.enter(State.RESTARTING)
                if child.temporary:
                    self._let_rest(child)
        return [
            child for child in group if child.spec.name in self._children and child.state is not State.STOPPED
        ]

    def _let_rest(self, child: Child) -> None:
        """A child that is not started again: a temporary one is forgotten, another one shown as ended."""
        child.enter(State.ENDED)
        child.close()
        if child.temporary:
            del self._children[child.spec.name]
            self._runtime.forget(child.box)

    # Stopping.

    def _stop_child(self, child: Child, *, comes_back: bool) -> None:
        deadline_s = child.order_stop(comes_back=comes_back)
        self._publish()
        child.await_end(deadline_s)

    def _stop_all(self) -> None:
        """In reverse start order, dynamic children at once; for good unless the supervisor comes back."""
        comes_back = self._kernel_life.comes_back
        children = list(reversed(self._children.values()))
        if self._spec.max_children is not None:
            deadlines = [child.order_stop(comes_back=False) for child in children]
            for child, deadline_s in zip(children, deadlines, strict=True):
                child.await_end(deadline_s)
                self._runtime.forget(child.box)
            self._children.clear()
        for child in children if self._spec.max_children is None else ():
            self._stop_child(child, comes_back=comes_back)
            if not comes_back or child.temporary:
                child.close()
        self._publish()

    # Dynamic children.

    def _on_start_child(self, message: StartChild) -> None:
        spec, box = message.spec, message.mailbox
        most = self._spec.max_children
        if most is None or box.closed or spec.name in self._children or validate_child(spec):
            self._runtime.forget(box)
        elif len(self._children) >= most:
            box.close(busy=True)
            self._runtime.forget(box)
        else:
            child = self._children[spec.name] = Child(self._runtime, spec, box)
            self._launch_dynamic(child)
            self._publish()

    def _launch_dynamic(self, child: Child) -> None:
        """Start it without waiting: its siblings must not wait for it. A failed start comes as its Down."""
        life = child.launch(self.box)
        child.enter(State.RUNNING)
        due = Overdue(name=child.spec.name, incarnation=life.incarnation)
        self.tell_later(child.spec.start_budget_s, due)

    # Budgets of children that nobody waits for.

    def _remind(self, name: str, incarnation: int) -> None:
        child = self._children.get(name)
        if child is not None and child.spec.shutdown_budget_s < math.inf:
            due = Overdue(name=name, incarnation=incarnation)
            self.tell_later(child.spec.shutdown_budget_s, due)

    def _on_overdue(self, due: Overdue) -> None:
        """Fence a child that is still starting or still cleaning up, and go on as if it had ended."""
        child = self._children.get(due.name)
        life = child.life if child is not None else None
        if child is None or life is None or life.incarnation != due.incarnation:
            return
        if child.state is not State.RUNNING or not life.alive:
            return
        if life.ready.pending:
            child.not_ready_in_time(life)
        elif life.dying:
            fence(life)
        else:
            return
        reason: Reason = "start_failed" if life.ready.pending else life.reason
        self._on_down(Down(name=due.name, incarnation=due.incarnation, reason=reason, error=life.error))

    # The operator's wishes.

    def _on_restart_child(self, name: str) -> Done:
        child = self._children.get(name)
        if child is None:
            return _unknown(name)
        if self._spec.max_children is not None:
            sentence = f"{name} is started when it is needed, and not restarted by hand; stop it instead"
            return Done(ok=False, sentence=sentence)
        self._stop_child(child, comes_back=True)
        return self._started_by_hand(child, "restarted")

    def _on_stop_child(self, name: str) -> Done:
        child = self._children.get(name)
        if child is None:
            return _unknown(name)
        self._stop_child(child, comes_back=False)
        if self._spec.max_children is not None:
            del self._children[name]
            self._runtime.forget(child.box)
        child.close()
        self._publish()
        return Done(ok=True, sentence=f"{name} is stopped")

    def _on_start_stopped(self, name: str) -> Done:
        child = self._children.get(name)
        if child is None:
            return _unknown(name)
        if child.state not in {State.STOPPED, State.ENDED}:
            return Done(ok=False, sentence=f"{name} is {child.state} already")
        return self._started_by_hand(child, "started")

    def _started_by_hand(self, child: Child, verb: str) -> Done:
        name = child.spec.name
        if self._start(child):
            self._publish()
            return Done(ok=True, sentence=f"{name} is {verb}")
        sentence = _no_start(child)
        if child.temporary:
            self._let_rest(child)
        else:
            self._try_later(child)
            sentence += "; it is tried again"
        self._publish()
        return Done(ok=False, sentence=sentence)

    def _publish(self) -> None:
        life = self._kernel_life
        self._runtime.publish(
            SupervisorView(
                name=self.name,
                strategy=str(self._spec.strategy),
                state=State.RUNNING if self._up else State.STARTING,
                incarnation=self.incarnation,
                since_s=self._since_s,
                children=tuple(child.view() for child in self._children.values()),
                parent=life.parent.name if life.parent is not None else None,
            )
        )


def _no_start(child: Child) -> str:
    """Why a child did not start. A supervisor's sentence names the one below it that is at fault."""
    why = child.last_error or "no reason"
    is_sentence = " " in why  # else it is an exception's type
    if child.spec.kind == "supervisor" and is_sentence:
        return why
    return f"{child.spec.name} failed at its start ({why})"


def _unknown(name: str) -> Done:
    return Done(ok=False, sentence=f"no child of this supervisor is named {name}")
