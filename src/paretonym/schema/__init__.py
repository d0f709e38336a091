"""The schema: what columns mean, their roles and hierarchies, and the schema file."""

from __future__ import annotations

from paretonym.schema.bound_schema import (
    BoundColumn,
    BoundSchema,
    ClassColumn,
    HouseholdColumn,
    PersonColumn,
    PublishedLevel,
    QuasiColumn,
    SensitiveColumn,
)
from paretonym.schema.exposures import Exposure, exposures, spelling_warnings
from paretonym.schema.missing_values import missing_texts
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.purposes import Analysis
from paretonym.schema.roles import Role
from paretonym.schema.row_unit import PEOPLE, HouseholdFacts, PersonFacts, Unit
from paretonym.schema.schema_binding import bind, of_population, role_problems, wanted_of
from paretonym.schema.schema_file import read_schema, schema_from, toml_mapping, toml_of, write_schema
from paretonym.schema.schema_keys import DecimalMark, Missing, SuppressUnit
from paretonym.schema.schema_summary import (
    ColumnSummary,
    LevelSummary,
    SchemaSummary,
    households_of,
    summarize,
)

__all__ = [
    "PEOPLE",
    "Analysis",
    "BoundColumn",
    "BoundSchema",
    "ClassColumn",
    "ColumnSpec",
    "ColumnSummary",
    "DecimalMark",
    "Exposure",
    "HouseholdColumn",
    "HouseholdFacts",
    "LevelSummary",
    "Missing",
    "PersonColumn",
    "PersonFacts",
    "PublishedLevel",
    "QuasiColumn",
    "Role",
    "Schema",
    "SchemaSummary",
    "SensitiveColumn",
    "SuppressUnit",
    "Unit",
    "bind",
    "exposures",
    "households_of",
    "missing_texts",
    "of_population",
    "read_schema",
    "role_problems",
    "schema_from",
    "spelling_warnings",
    "summarize",
    "toml_mapping",
    "toml_of",
    "wanted_of",
    "write_schema",
]
