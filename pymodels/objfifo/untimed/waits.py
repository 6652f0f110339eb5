# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom in a machine that stands still."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.untimed.machine import LockAgent, LockKey, Machine


def lock_givers(machine: Machine) -> dict[LockKey, list[LockAgent]]:
    """The agents that give each lock."""
    found: dict[LockKey, list[LockAgent]] = {}
    for agent in machine.agents:
        for key in agent.gives:
            found.setdefault(key, []).append(agent)
    return found


def waited_for(agent: LockAgent, givers: dict[LockKey, list[LockAgent]]) -> list[LockAgent]:
    """Those who would have to move for this agent to go on."""
    if agent.wait is None:
        return []
    return givers.get(agent.wait.lock, []) if agent.wait.lock is not None else list(agent.wait.peers)


def waiting_agents(machine: Machine, givers: dict[LockKey, list[LockAgent]]) -> list[LockAgent]:
    """Those who did not do what is asked of them, and all that they wait for in turn."""
    found: list[LockAgent] = []
    stack = [a for a in machine.agents if not a.met and a.wait is not None]
    while stack:
        agent = stack.pop(0)
        if agent not in found and agent.wait is not None:
            found.append(agent)
            stack += waited_for(agent, givers)
    return found


def waiting_circle(agents: list[LockAgent], givers: dict[LockKey, list[LockAgent]]) -> list[LockAgent]:
    """Agents that wait for each other in a circle, empty if there is none."""
    for start in agents:
        path = [start]
        seen: set[int] = set()
        if _back(start, start, path, givers, seen):
            return path
    return []


def _back(
    at: LockAgent, start: LockAgent, path: list[LockAgent], givers: dict[LockKey, list[LockAgent]], seen: set[int]
) -> bool:
    for other in waited_for(at, givers):
        if other is start:
            return True
        if id(other) in seen:
            continue
        seen.add(id(other))
        path.append(other)
        if _back(other, start, path, givers, seen):
            return True
        path.pop()
    return False
