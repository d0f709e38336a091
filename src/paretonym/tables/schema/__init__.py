"""The schema: what columns mean, their roles and hierarchies, and the schema file."""

from __future__ import annotations

from paretonym.tables.schema.bound_schema import (
    BoundColumn,
    BoundSchema,
    ClassColumn,
    HouseholdColumn,
    PersonColumn,
    PublishedLevel,
    QuasiColumn,
    SensitiveColumn,
)
from paretonym.tables.schema.exposures import Exposure, exposures, spelling_warnings
from paretonym.tables.schema.missing_values import missing_texts
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.purposes import Analysis
from paretonym.tables.schema.roles import Role
from paretonym.tables.schema.row_unit import PEOPLE, HouseholdFacts, PersonFacts, Unit
from paretonym.tables.schema.schema_binding import bind, of_population, role_problems, wanted_of
from paretonym.tables.schema.schema_file import read_schema, schema_from, toml_mapping, toml_of, write_schema
from paretonym.tables.schema.schema_keys import DecimalMark, Missing, SuppressUnit
from paretonym.tables.schema.schema_summary import (
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
