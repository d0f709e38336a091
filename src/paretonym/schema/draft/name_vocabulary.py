"""What column names mean: one table of words, in English, German, French and Spanish.

Words are written without accents, in lower case; several words must follow each other in the name, however it
is spelled (`date of birth` is found in DateOfBirth and date_of_birth).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

Form: TypeAlias = Literal[
    "key", "person", "contact", "person name", "place of one person", "weight", "body weight", "household",
    "birth", "year", "age", "postal", "place", "category", "number", "date", "private", "free text",
    "label", "class",
]  # fmt: skip


class Meaning(NamedTuple):
    """What a family of words means, for the comment, and how such a column is treated."""

    says: str
    form: Form
    words: str


# Whose number may say whose a row is, and what else belongs to one person.
PERSONS = """
patient, person, people, customer, client, student, pupil, employee, staff, user, member, subject,
participant, respondent, applicant, worker, kunde, kunden, patienten, personal, personen, schueler,
versicherten, matrikel, mitglieds, salarie, eleve, cliente, paciente, alumno, empleado"""
RECORDS = """
case, record, account, order, invoice, visit, stay, insurance, policy, fall, bestell, versicherungs, konto,
rechnungs, dossier, pedido, expediente"""
KEYS = "id, ident, identifier, no, nr, num, number, key, uuid, guid, nummer, kennung, numero"

MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        "a number that belongs to one person", "key",
        """ssn, social security number, mrn, nhs number, tax id, tax number, passport, passport number,
        iban, account number, card number, credit card, licence number, license number, license plate, uuid,
        guid, row id, rowid, sozialversicherungsnummer, steuernummer, ahv, ausweisnummer, kennzeichen,
        numero securite sociale, nir, numero de compte, dni, nie, nif, curp, rfc, numero de cuenta,
        matricula, imei, device id, cookie, session id, barcode""",
    ),
    Meaning(
        "which person a row belongs to", "person",
        """patient, pid, patid, pat id, person, respondent, proband, participant, pseudonym, personid, idp,
        paciente, versicherter""",
    ),
    Meaning(
        "how to reach a person", "contact",
        """email, e mail, mail, mail address, email address, phone, phone number, telephone, mobile, cell
        phone, fax, telefon, telefonnummer, handy, handynummer, mobilnummer, courriel, portable, telefono,
        correo, correo electronico, movil, url, homepage, ip, ip address, username, user name, login,
        nickname, twitter, facebook, instagram""",
    ),
    Meaning(
        "the name of a person", "person name",
        """name, names, full name, first name, given name, middle name, last name, surname, family name,
        maiden name, patient name, customer name, student name, employee name, contact name, initials,
        vorname, nachname, familienname, zuname, geburtsname, nom, prenom, nom de famille, nombre, apellido,
        apellidos, nombre completo""",
    ),
    Meaning(
        "where one person lives", "place of one person",
        """address, street, street address, house number, strasse, adresse, anschrift, hausnummer, rue,
        calle, direccion, domicilio, latitude, longitude, lat, lon, lng, gps, coordinates, koordinaten""",
    ),
    Meaning(
        "how many people a row stands for", "weight",
        """fnlwgt, pweight, pwgt, wgt, perwt, hhwt, wtper, survey weight, sample weight, sampling weight,
        sample wt, person weight, final weight, design weight, expansion factor, weighting,
        hochrechnungsfaktor, gewichtung, ponderation, coefficient de ponderation, factor de expansion,
        ponderacion""",
    ),
    Meaning(
        "a weight, perhaps of a body, perhaps of a row", "body weight",
        "weight, gewicht, poids, peso, body weight, weight kg, koerpergewicht",
    ),
    Meaning(
        "people who live together", "household",
        """household, household id, household number, household nr, hhid, hh id, hh, serial household,
        family id, family number, haushalt, haushaltsnummer, haushaltsid, foyer, menage, numero de foyer,
        hogar, id hogar""",
    ),
    Meaning(
        "when a person was born", "birth",
        """birth, birthdate, birth date, date of birth, dob, birthday, born, geburtsdatum, geburtstag,
        geboren, gebdat, date de naissance, naissance, ne le, fecha de nacimiento, fecha nacimiento,
        nacimiento""",
    ),
    Meaning(
        "a year", "year",
        """birth year, year of birth, yob, birthyear, geburtsjahr, jahrgang, annee de naissance, annee
        naissance, ano de nacimiento, ano nacimiento, year, jahr, annee, entry year, graduation year, hire
        year""",
    ),
    Meaning(
        "age", "age",
        "age, alter, lebensalter, edad, age years, age at admission, alter in jahren, patient age",
    ),
    Meaning(
        "a postal code", "postal",
        """zip, zip code, postal, postal code, postcode, post code, plz, postleitzahl, code postal, codigo
        postal, cp, npa, cap""",
    ),
    Meaning(
        "sex", "category",
        "sex, gender, geschlecht, sexe, sexo, genero, salutation, anrede, civilite, tratamiento cortes",
    ),
    Meaning(
        "where somebody comes from", "category",
        """race, ethnicity, ethnic, ethnic group, hispanic, latino, latina, ancestry, indigenous, aboriginal,
        foreign born, immigrant, foreigner, auslaender, migrationshintergrund, origin, country,
        native country, country of birth, birthplace,
        nationality, citizenship, language, mother tongue, migration, herkunft, land, geburtsland,
        staatsangehoerigkeit, nationalitaet, sprache, muttersprache, pays, nationalite, langue, pais,
        nacionalidad, idioma, lengua, raza, etnia""",
    ),
    Meaning(
        "where somebody lives or works", "place",
        """city, town, village, place, municipality, region, state, county, province, canton, district,
        borough, area, residence, stadt, ort, wohnort, gemeinde, bundesland, kanton, bezirk, kreis,
        landkreis, ville, commune, departement, ciudad, provincia, municipio, comunidad, location, site,
        office, branch, hospital, clinic, ward, station, school, schule, ecole, escuela, standort, filiale,
        shop, store""",
    ),
    Meaning(
        "family and household", "category",
        """marital, marital status, civil status, relationship, family status, married, familienstand,
        zivilstand, etat civil, situation familiale, estado civil, housing, tenure of dwelling, wohnform""",
    ),
    Meaning(
        "schooling and work", "category",
        """education, school type, degree, qualification, occupation, job, job title, profession, workclass,
        work class, employment, employer, employment status, industry, sector, department, division, team,
        position, title, role, rank, contract, full time, part time, bildung, abschluss, schulabschluss,
        bildungsgrad, beruf, branche, abteilung, stelle, beschaeftigung, schulform, klasse, klassenstufe,
        year group, grade level, school class, homeroom, form group, metier, emploi, diplome, niveau,
        educacion, estudios, ocupacion, profesion, puesto, trabajo, curso, grupo""",
    ),
    Meaning(
        "what somebody does in free time", "category",
        """sport, sports, sportart, discipline, sparte, hobby, hobbies, volunteer, ehrenamt, honorary, loisir,
        loisirs, deporte, aficion""",
    ),
    Meaning(
        "how somebody travels", "category",
        """transport, transportation, means of transport, mode of transport, commute, verkehrsmittel, moyen de
        transport, transporte""",
    ),
    Meaning(
        "a number that others may know", "number",
        """education num, children, number of children, kids, siblings, household size, hh size, family size,
        persons in household, hours per week, hours, weekly hours, working hours, years of service,
        seniority, tenure, experience, years employed, height, body height, kinder, kinderzahl, anzahl
        kinder, haushaltsgroesse, personen im haushalt, wochenstunden, arbeitsstunden, dienstjahre,
        groesse, koerpergroesse, enfants, nombre enfants, taille, anciennete, hijos, numero de hijos,
        altura, estatura, horas, stunden, groesse, anzahl""",
    ),
    Meaning(
        "when something happened", "date",
        """date, day, admission, admitted, discharge, discharged, admission date, discharge date, visit
        date, order date, ordered, purchase date, hire date, hired, start date, end date, entry date, exit
        date, registered, registration, created, updated, timestamp, time, signup, enrolled, enrolment date,
        interview date, death, date of death, datum, aufnahme, aufnahmedatum, entlassung, entlassungsdatum,
        eintritt, eintrittsdatum, austritt, bestelldatum, einschulung, sterbedatum, date entree, date
        sortie, fecha, fecha ingreso, fecha alta, ingreso, alta""",
    ),
    Meaning(
        "health", "private",
        """diagnosis, diagnoses, disease, illness, condition, icd, icd code, symptom, symptoms, treatment,
        therapy, procedure, medication, drug, drugs, hiv, disability, handicap, blood, blood type, bmi,
        smoker, smoking, alcohol, pregnant, pregnancy, mental health, health, lab, lab result, test
        result, result, outcome, cause of death, sick days, sick leave, severity, blood pressure,
        cholesterol, glucose, depression, length of stay, diagnose, krankheit, erkrankung, behandlung,
        medikament, befund, krankheitstage, fehltage, gesundheit, behinderung, raucher, blutgruppe,
        schwerbehindert, verweildauer, maladie, diagnostic, traitement, medicament, sante, enfermedad,
        diagnostico, tratamiento, medicamento, salud, special needs, allergy, injury, injuries,
        verletzung, verletzungen, unfall, blessure, lesion, prostate, prostata""",
    ),
    Meaning(
        "money", "private",
        """income, salary, wage, wages, pay, payment, earnings, bonus, capital gain, capital loss, debt,
        balance, credit, credit score, loan, mortgage, net worth, wealth, tax, amount, price, total, order
        total, order value, basket value, spent, spending, revenue, rent, benefits, pension, salary class,
        costs, charges, einkommen, gehalt, lohn, bruttolohn, nettolohn, jahresgehalt, verdienst, praemie,
        schulden, betrag, preis, summe, umsatz, miete, rente, kosten, salaire, revenu, prime, montant,
        prix, loyer, dette, salario, sueldo, ingresos, importe, precio, deuda, alquiler, fee, fees,
        contribution, beitrag, gebuehr, cotisation, cuota""",
    ),
    Meaning(
        "what somebody believes or did", "private",
        """religion, faith, confession, denomination, party, vote, voted, political, politics, political
        party, union, union member, orientation, sexual orientation, offence, offense, crime, conviction,
        arrest, konfession, glaube, partei, gewerkschaft, straftat, parti, syndicat, partido, sindicato,
        delito""",
    ),
    Meaning(
        "what somebody bought, answered or achieved", "private",
        """product, item, article, category, basket, purchase, purchases, rating, stars, satisfaction,
        opinion, trust, answer, response, agree, score, points, gpa, mark, marks, test score, exam, grade,
        final grade, math, reading, absences, performance, performance rating, evaluation, produkt, artikel,
        warengruppe, bewertung, zufriedenheit, vertrauen, meinung, antwort, punkte, note, abschlussnote,
        schulnote, fehlzeiten, leistung, beurteilung, produit, avis, reponse, producto, articulo, respuesta,
        nota, calificacion, puntos""",
    ),
    Meaning(
        "free text", "free text",
        """comment, comments, remark, remarks, notes, description, text, free text, feedback, message,
        review, reason, details, memo, observation, observations, kommentar, bemerkung, bemerkungen,
        anmerkung, beschreibung, freitext, nachricht, commentaire, commentaires, remarque, comentario,
        comentarios, observaciones, descripcion""",
    ),
    Meaning("a label that somebody wants to predict", "label", "target, label, outcome class, class label"),
    Meaning("a class, of a school or to predict", "class", "class"),
)  # fmt: skip


ANSWER = re.compile(r"(?:q|question|frage|item)_?[0-9]+[a-z]?(?:_[0-9]+)?", re.IGNORECASE)
ANSWERED = Meaning("an answer to a numbered question", "private", "")
# Words that count only on their own: the name of a product is not a person's.
ALONE = [
    [word]
    for word in (
        "name",
        "names",
        "nom",
        "nombre",
        "household",
        "haushalt",
        "foyer",
        "hogar",
        "patient",
        "person",
        "respondent",
        "participant",
        "paciente",
    )
]
SHORTEST_START, SHORTEST_END = 3, 5
PERSON_KEY = Meaning("a number that belongs to one person", "person", "")
RECORD_KEY = PERSON_KEY._replace(form="key")
SPECIAL = str.maketrans(
    {"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ñ": "n"}
)


def meaning_of(name: str) -> Meaning | None:
    """What a name means, or None. Its last words count most: a household income is an income.

    >>> meaning_of("DateOfBirth").form, meaning_of("Straße").form, meaning_of("xyz")
    ('birth', 'place of one person', None)
    >>> meaning_of("household_income").says, meaning_of("Haushaltseinkommen").says
    ('money', 'money')
    """
    if ANSWER.fullmatch(name.strip()):
        return ANSWERED
    words = tokens(name)
    for last in range(len(words), 0, -1):
        for first in range(last):
            found = vocabulary().get("".join(words[first:last]))
            if found is not None and (last - first == len(words) or words[first:last] not in ALONE):
                return found
    return _compound(words)


def ends_like_a_key(name: str) -> bool:
    """Whether the last word is one such as id or number, whatever it numbers."""
    words = tokens(name)
    return bool(words) and words[-1] in _listed(KEYS)


def tokens(name: str) -> list[str]:
    """The words of a name, in lower case and without accents.

    >>> tokens("PatientID"), tokens("code_postal 2")
    (['patient', 'id'], ['code', 'postal', '2'])
    >>> tokens("gender1")
    ['gender', '1']
    """
    plain = unicodedata.normalize("NFKD", name.translate(SPECIAL))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])", " ", plain)
    return [word for word in re.split(r"[^0-9a-z]+", parted.lower()) if word]


def _compound(words: list[str]) -> Meaning | None:
    """What the end of a compound word means: Aufnahmedatum is a Datum. The part before it must be long enough
    to be a word too: an estate is not a state."""
    ends = (
        word[start:]
        for word in reversed(words)
        for start in range(SHORTEST_START, len(word) - SHORTEST_END + 1)
    )
    return next((vocabulary()[end] for end in ends if end in vocabulary()), None)


@cache
def vocabulary() -> dict[str, Meaning]:
    """Every known word; of two meanings of one word the first counts."""
    found = {
        whose + key: meaning
        for words, meaning in ((PERSONS, PERSON_KEY), (RECORDS, RECORD_KEY))
        for whose in map(_joined, _listed(words))
        for key in _listed(KEYS)
    }
    for meaning in MEANINGS:
        for word in _listed(meaning.words):
            found.setdefault(_joined(word), meaning)
    return found


def _listed(words: str) -> list[str]:
    return [" ".join(word.split()) for word in words.split(",")]


def _joined(word: str) -> str:
    return word.replace(" ", "")
