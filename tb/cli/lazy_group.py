# SPDX-License-Identifier: Apache-2.0
"""Groups of commands that are imported when one of them is called: a group's own help imports none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.cli import starting
from goldbeat.tb.extras import module_hint


@dataclass(frozen=True)
class Listed:
    """A command as its group lists it.

    Attributes:
        summary: the first sentence of its help.
        module: where it is: a :class:`typer.Typer` called ``app``, or a function ``register`` that adds it to one.
        commands: summaries by name, where it is a group of its own.
        modules: where those of its commands are that are not in ``module``, by name.
        whole: it is all of the module's ``app``: a group that does not say what it lists.
    """

    summary: str
    module: str
    commands: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False


class LazyGroup(TyperGroup):
    """A group that knows of its commands only how they are listed, until one is asked for.

    Args:
        listed: what it lists, by name, in order.
        options: as :class:`typer.core.TyperGroup` takes them.
    """

    def __init__(self, *, listed: Mapping[str, Listed] | None = None, **options: Any) -> None:
        options["commands"] = {name: TyperCommand(name, help=one.summary) for name, one in (listed or {}).items()}
        super().__init__(**options)
        self.listed = dict(listed or {})
        self._loaded: dict[str, Any] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the list."""
        return list(self.listed)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command itself, imported now; None if there is none."""
        if cmd_name in self.listed and cmd_name not in self._loaded:
            self._loaded[cmd_name] = _open(cmd_name, self.listed[cmd_name])
        return self._loaded.get(cmd_name)

    def get_help_option(self, ctx: Any) -> Any:
        """The option ``--help``; when it is not given it is False, since typer imports pydantic to make sense of a None."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands by their summaries."""
        TyperGroup(commands=dict(self.commands)).format_commands(ctx, formatter)


def _open(name: str, one: Listed) -> Any:
    if not one.commands:
        return _load(name, one)
    return LazyGroup(
        name=name,
        help=one.summary,
        listed={key: Listed(text, one.modules.get(key, one.module)) for key, text in one.commands.items()},
        no_args_is_help=True,
        rich_markup_mode=None,
    )


def _load(name: str, one: Listed) -> Any:
    """A command of a module; where a package for it is missing, a command that says so."""
    starting.begin()
    try:
        found = import_module(one.module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "goldbeat":
            raise
        return _group(_stand_in(name, error.name or "?"))[name]
    finally:
        starting.end()
    if hasattr(found, "app"):
        group = _group(lambda app: app.add_typer(found.app, name="own"))["own"]
        return group if one.whole else group.commands[name]
    return _group(found.register)[name]


def _group(register: Callable[[typer.Typer], None]) -> Mapping[str, Any]:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    register(app)
    return typer.main.get_group(app).commands


def _stand_in(name: str, package: str) -> Callable[[typer.Typer], None]:
    def register(app: typer.Typer) -> None:
        @app.command(name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
        def command() -> None:
            """Not available: a package that it needs is not installed."""
            raise ToolError(f"{name} needs the Python package {package}: {module_hint(package)}")

    return register
