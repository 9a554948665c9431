"""Broken map folders: every fault is told, with its place and what was expected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ttr_analysis as ttr
from tests.fixtures import INVENTED
from ttr_analysis import MapError
from ttr_analysis.cards import ROUTE_COLORS
from ttr_analysis.maps.loading import data_folder

Change = tuple[str, str, str]
"""File, text in it, text in its place."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of a good map folder, to be broken."""
    return Path(shutil.copytree(INVENTED, tmp_path / "broken"))


def break_(folder: Path, *changes: Change) -> None:
    for file, old, new in changes:
        path = folder / file
        content = path.read_text(encoding="utf-8")
        assert old in content, f"{file} does not contain {old!r}"
        path.write_text(content.replace(old, new, 1), encoding="utf-8")


def faults_of(folder: Path) -> list[str]:
    with pytest.raises(MapError) as error:
        ttr.load_map(folder)
    faults = [str(fault) for fault in error.value.faults]
    told = [line.removeprefix("  ") for line in str(error.value).splitlines()[1:]]
    assert told[:50] == faults[:50]
    return faults


ONE_FAULT: dict[str, tuple[Change, str]] = {
    "latitude is no number": (
        ("cities.csv", "Brindle,,Isles,57.1", "Brindle,,Isles,north"),
        "cities.csv, line 3, lat: expected a number from -90 to 90, got 'north'",
    ),
    "longitude out of range": (
        ("cities.csv", "57.1,9.6", "57.1,181"),
        "cities.csv, line 3, lon: expected a number from -180 to 180, got '181'",
    ),
    "city twice but for its case": (
        ("cities.csv", "Dunmore,,", "brindle,,Isles,55,9\nDunmore,,"),
        "cities.csv, line 5, name: expected each city once, ignoring case and accents (see line 3), got 'brindle'",
    ),
    "city without a name": (
        ("cities.csv", "Brindle,,Isles", ",,Isles"),
        "cities.csv, line 3, name: expected a value, got nothing",
    ),
    "misspelled column": (
        ("cities.csv", "name,label", "nme,label"),
        "cities.csv, line 1, nme: unknown column, expected name, got nme",
    ),
    "one column more than all": (
        ("cities.csv", "name,label,country,lat,lon", "name,label,country,lat,lon,x,y,label_at,also,foo"),
        "cities.csv, line 1, foo: unknown column, expected no more columns, got foo",
    ),
    "column twice": (
        ("cities.csv", "name,label,country", "name,label,label"),
        "cities.csv, line 1, label: expected each column once, got 2 of them",
    ),
    "too many fields": (
        ("cities.csv", "Jarlsby,,Isles,54.1,8.3", "Jarlsby,,Isles,54.1,8.3,7"),
        "cities.csv, line 11: expected 5 fields (name, label, country, lat, lon), got 6: Jarlsby,,Isles,54.1,8.3,7",
    ),
    "quote that never ends": (
        ("cities.csv", "Lomond,,", 'Lomond,"x,'),
        "cities.csv, line 16: expected comma-separated values, got unexpected end of data",
    ),
    "label too long": (
        ("cities.csv", "Brindle,,", f"Brindle,{'x' * 101},"),
        "cities.csv, line 3, label: expected printable text of at most 100 characters, got ",
    ),
    "city that no route reaches": (
        ("cities.csv", "Farland ferry,", "Atlantis,,Sea,50,1\nFarland ferry,"),
        "cities.csv, line 16, name: expected a city joined to Ærø Havn by routes, got 'Atlantis'",
    ),
    "border point that is no city": (
        ("places.csv", "Farland,Farland ferry", "Farland,Farland fery"),
        "places.csv, line 4, city: expected the name of a city (Farland ferry?), got 'Farland fery'",
    ),
    "border point of two countries": (
        ("places.csv", "Farland,Farland ferry", "Farland,Farland ferry\nOutland,Farland ferry"),
        "places.csv, line 5, city: expected each border point in one country (see line 4), got 'Farland ferry'",
    ),
    "trains could pass through a country": (
        (
            "routes.csv",
            "Farland ferry,Lomond,0,2,black,0,1,3,,",
            "Farland ferry,Lomond,0,2,black,0,1,3,,\nFarland ferry,Hollow,0,2,red,0,0,1,,",
        ),
        "places.csv, line 4, city: expected one route at a border point, got 2 at Farland ferry",
    ),
    "unknown city": (
        ("routes.csv", "Hollow,Jarlsby", "Hollow,Jarsby"),
        "routes.csv, line 28, city_b: expected the name of a city (Jarlsby?), got 'Jarsby'",
    ),
    "length is no number": (
        ("routes.csv", "Brindle,Ísvík,0,2", "Brindle,Ísvík,0,two"),
        "routes.csv, line 9, length: expected a whole number from 1 to 12, got 'two'",
    ),
    "length beyond any map": (
        ("routes.csv", "Brindle,Ísvík,0,2", "Brindle,Ísvík,0,13"),
        "routes.csv, line 9, length: expected a whole number from 1 to 12, got '13'",
    ),
    "length without points": (
        ("routes.csv", "Brindle,Ísvík,0,2", "Brindle,Ísvík,0,5"),
        "routes.csv, line 9, length: expected a length with points in rules.toml (1, 2, 3, 4, 7), got 5",
    ),
    "unknown color": (
        ("routes.csv", "0,2,white,0,0,2,,\n", "0,2,whit,0,0,2,,\n"),
        "routes.csv, line 9, color: expected 'white', got 'whit'",
    ),
    "flag that is neither 0 nor 1": (
        ("routes.csv", "Brindle,Ísvík,0,2,white,0", "Brindle,Ísvík,0,2,white,yes"),
        "routes.csv, line 9, tunnel: expected 0 or 1, got 'yes'",
    ),
    "more symbols than spaces": (
        ("routes.csv", "Brindle,Ísvík,0,2,white,0,0", "Brindle,Ísvík,0,2,white,0,3"),
        "routes.csv, line 9, locomotives: expected at most one locomotive symbol for each of 2 spaces, got 3",
    ),
    "tunnel and ferry at once": (
        ("routes.csv", "Brindle,Ísvík,0,2,white,0,0", "Brindle,Ísvík,0,2,white,1,1"),
        "routes.csv, line 9, tunnel: expected a tunnel or a ferry (locomotives), not both, got 1",
    ),
    "toll below zero": (
        ("routes.csv", "Brindle,Ísvík,0,2,white,0,0,2", "Brindle,Ísvík,0,2,white,0,0,-2"),
        "routes.csv, line 9, toll: expected a whole number from 0 to 20, got '-2'",
    ),
    "second track without a first": (
        ("routes.csv", "Brindle,Ísvík,0,", "Brindle,Ísvík,1,"),
        "routes.csv, line 9, track: expected a track 0 for Brindle-Ísvík beside track 1, got 1",
    ),
    "first track twice": (
        ("routes.csv", "Ærø Havn,Brindle,1,", "Ærø Havn,Brindle,0,"),
        "routes.csv, line 3, track: expected track 1: line 2 is track 0 of Ærø Havn-Brindle, got 0",
    ),
    "three tracks": (
        ("routes.csv", "Ærø Havn,Dunmore,0,2", "Brindle,Ærø Havn,1,2"),
        "routes.csv, line 4, track: expected at most two tracks for Ærø Havn-Brindle, got 1",
    ),
    "route from a city to itself": (
        ("routes.csv", "Brindle,Ísvík", "Ísvík,Ísvík"),
        "routes.csv, line 9, city_b: expected a city other than city_a, got 'Ísvík'",
    ),
    "one card in place of one": (
        ("routes.csv", "0,7,gray,0,0,4,4,", "0,7,gray,0,0,4,1,"),
        "routes.csv, line 30, swap_size: expected 0, or at least 2 cards to replace one, got 1",
    ),
    "sets of cards on a tunnel": (
        ("routes.csv", "Eksjö,Kråke,0,3,purple,1,0,3,,", "Eksjö,Kråke,0,3,purple,1,0,3,3,"),
        "routes.csv, line 20, swap_size: expected no sets of cards on a tunnel, got 3",
    ),
    "ticket from an unknown city": (
        ("tickets.csv", "Lomond-Brindle,Lomond", "Lomond-Brindle,Lomont"),
        "tickets.csv, line 20, origin: expected the name of a city or country (Lomond?), got 'Lomont'",
    ),
    "ticket to a border point instead of its country": (
        ("tickets.csv", "Farland-Ísvík,Farland,", "Farland-Ísvík,Farland ferry,"),
        "tickets.csv, line 28, origin: expected the name of a city or country (Farland?), got 'Farland ferry'",
    ),
    "ticket from a city to itself": (
        ("tickets.csv", "Lomond-Brindle,Lomond,Brindle", "Lomond-Brindle,Lomond,Lomond"),
        "tickets.csv, line 20, destination: expected a place other than origin, got 'Lomond'",
    ),
    "destination twice": (
        ("tickets.csv", "Jarlsby-countries,Jarlsby,Farland", "Jarlsby-countries,Jarlsby,Outland"),
        "tickets.csv, line 27, destination: expected each destination of a ticket once (see line 26), got 'Outland'",
    ),
    "one ticket with two origins": (
        ("tickets.csv", "Jarlsby-countries,Jarlsby,Farland", "Jarlsby-countries,Hollow,Farland"),
        "tickets.csv, line 27, origin: expected 'Jarlsby' as on line 26 of the same ticket, got 'Hollow'",
    ),
    "half a neutral pair": (
        ("tickets.csv", "Brindle,Hollow,6,,", "Brindle,Hollow,6,Brindle,"),
        "tickets.csv, line 6, neutral_b: expected two neutral cities, or none, got nothing",
    ),
    "neutral pair without a route": (
        ("tickets.csv", "Brindle,Hollow,6,,", "Brindle,Hollow,6,Brindle,Hollow"),
        "tickets.csv, line 6, neutral_a: expected the cities of a double route, got Brindle-Hollow",
    ),
    "unknown key of the rules": (
        ("rules.toml", "per_player = 30", "per_player = 30\nper_plaier = 3"),
        'rules.toml, line 10, trains.per_plaier: unknown key, expected per_player, got "per_plaier"',
    ),
    "text instead of a number": (
        ("rules.toml", "per_player = 30", 'per_player = "thirty"'),
        'rules.toml, line 9, trains.per_player: expected a whole number from 1 to 100, got "thirty"',
    ),
    "true instead of a number": (
        ("rules.toml", "per_player = 30", "per_player = true"),
        "rules.toml, line 9, trains.per_player: expected a whole number from 1 to 100, got true",
    ),
    "ferry swap of one card": (
        ("rules.toml", "ferry_swap_size = 3", "ferry_swap_size = 1"),
        "rules.toml, line 14, claims.ferry_swap_size: expected 0, or at least 2 cards to replace one, got 1",
    ),
    "word that is not allowed": (
        ("rules.toml", 'unkept = "discard_pile"', 'unkept = "burned"'),
        'rules.toml, line 26, tickets.unkept: expected "removed" or "under_pile" or "discard_pile", got "burned"',
    ),
    "more tickets kept than dealt": (
        ("rules.toml", "opening_keep = 2", "opening_keep = 5"),
        "rules.toml, line 25, tickets.opening_keep: expected at most the 4 tickets dealt, got 5",
    ),
    "no title": (
        ("rules.toml", 'title = "Isles of Invention"', ""),
        "rules.toml, title: expected this key, got nothing",
    ),
    "not TOML": (
        ("rules.toml", "[market]", "[market"),
        "rules.toml, line 5: expected TOML, got Expected ']' at the end of a table declaration",
    ),
    "marker at a seat that nobody has": (
        ("rules.toml", "trains = 20", "trains = 20\nmarker_seat = 3"),
        "rules.toml, line 69, variants.neutral.neutral.marker_seat: expected a seat from 0 to 1, got 3",
    ),
    "unknown key of a variant": (
        ("rules.toml", "[variants.no_tolls.money]\ntokens = 0", "[variants.no_tolls.money]\ntoken = 0"),
        "rules.toml, line 59, variants.no_tolls.money.token: unknown key, expected tokens",
    ),
    "start scores for some of the seats": (
        ("rules.toml", "start_scores = [0, 1, 2, 3, 4]", "start_scores = [0, 1, 2]"),
        "rules.toml, line 29, scoring.start_scores: expected no scores, or one for each of 5 seats, got [0,1,2]",
    ),
    "rule that does not exist": (
        ("rules.toml", "[trains]", "[harbors]\nper_player = 3\n\n[trains]"),
        "rules.toml, line 8, harbors: unknown key, expected one of title, players, cards, market, trains",
    ),
    "bonus for tokens without money": (
        ("rules.toml", 'bonus = [{ measure = "longest_trail"', 'bonus = [{ measure = "tokens"'),
        "rules.toml, line 56, variants.no_tolls.bonus.0.measure: expected money.tokens above 0",
    ),
}


@pytest.mark.parametrize(("change", "expected"), ONE_FAULT.values(), ids=ONE_FAULT)
def test_one_fault_is_told_in_one_line(folder: Path, change: Change, expected: str) -> None:
    break_(folder, change)
    (fault,) = faults_of(folder)
    assert fault.startswith(expected)


def test_three_faults_in_one_folder_give_three_lines(folder: Path) -> None:
    break_(
        folder,
        ("cities.csv", "57.1,9.6", "57.1,east"),
        ("routes.csv", "Brindle,Ísvík,0,2,white", "Brindle,Ísvík,0,2,brown"),
        ("rules.toml", "per_player = 30", "per_player = 0"),
    )
    assert faults_of(folder) == [
        "cities.csv, line 3, lon: expected a number from -180 to 180, got 'east'",
        f"routes.csv, line 9, color: expected one of {', '.join(ROUTE_COLORS)}, got 'brown'",
        "rules.toml, line 9, trains.per_player: expected a whole number from 1 to 100, got 0",
    ]


def test_two_faults_on_one_line_are_both_told(folder: Path) -> None:
    break_(folder, ("routes.csv", "Brindle,Ísvík,0,2,white,0,0,2", "Brindle,Isvik,0,99,white,0,0,2"))
    assert [fault.split(":")[0] for fault in faults_of(folder)] == [
        "routes.csv, line 9, length",
        "routes.csv, line 9, city_b",
    ]


def test_a_missing_table_does_not_make_the_others_wrong(folder: Path) -> None:
    (folder / "cities.csv").unlink()
    assert faults_of(folder) == ["cities.csv: expected a readable file, got No such file or directory"]


def test_missing_rules_and_tickets_are_both_told(folder: Path) -> None:
    (folder / "rules.toml").unlink()
    (folder / "tickets.csv").unlink()
    assert [fault.split(":")[0] for fault in faults_of(folder)] == ["tickets.csv", "rules.toml"]


def test_countries_are_unknown_without_places(folder: Path) -> None:
    (folder / "places.csv").unlink()
    assert any("'Outland'" in fault for fault in faults_of(folder))


def test_a_file_that_is_not_utf_8(folder: Path) -> None:
    path = folder / "cities.csv"
    path.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
    assert faults_of(folder) == ["cities.csv, line 2: expected UTF-8 text, got byte 0xc6"]


def test_a_file_that_is_not_csv(folder: Path) -> None:
    (folder / "routes.csv").write_bytes(b"\x00\x01\x02" * 100)
    (fault,) = faults_of(folder)
    assert fault.startswith("routes.csv, line 1")


def test_an_empty_table(folder: Path) -> None:
    path = folder / "tickets.csv"
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    assert faults_of(folder) == ["tickets.csv: expected at least one ticket, got none"]


def test_a_file_beyond_the_limit_is_not_read(folder: Path) -> None:
    with (folder / "routes.csv").open("ab") as file:
        file.write(b"x" * 1_000_001)
    assert faults_of(folder) == ["routes.csv: expected a file of at most 1,000,000 bytes, got more"]


def test_too_many_cities(folder: Path) -> None:
    with (folder / "cities.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"City {i},,Isles,50,{i / 10}\n" for i in range(60))
    assert "cities.csv, line 66: expected at most 64 rows, got more" in faults_of(folder)


def test_values_from_strangers_are_cut_and_made_printable(folder: Path) -> None:
    break_(folder, ("routes.csv", "Brindle,Ísvík,0,2,white", "Brindle,Ísvík,0,2," + "\x1b[31m" * 500))
    (fault,) = faults_of(folder)
    assert "\x1b" not in fault
    assert len(fault) < 250


def test_of_many_faults_the_first_are_told_and_the_rest_counted(folder: Path) -> None:
    (folder / "tickets.csv").write_text("ticket,origin,destination,points\n" + "x\n" * 1_000, encoding="utf-8")
    with pytest.raises(ttr.MapError) as caught:
        ttr.load_map(folder)
    lines = str(caught.value).splitlines()
    assert len(caught.value.faults) > 999
    assert len(lines) == 52
    assert lines[-1] == f"  and {len(caught.value.faults) - 50:,} more"


def test_tolls_without_money(folder: Path) -> None:
    break_(
        folder,
        ("rules.toml", "tokens = 20", "tokens = 0"),
        ("rules.toml", 'measure = "tokens"', 'measure = "longest_trail"'),
    )
    faults = faults_of(folder)
    assert len(faults) == 31
    assert "routes.csv, line 2, toll: expected no toll without [money] tokens in rules.toml, got 2" in faults


def test_a_variant_must_fit_the_board(folder: Path) -> None:
    with (folder / "rules.toml").open("a", encoding="utf-8") as file:
        file.write("\n[variants.short.claims.points]\n1 = 1\n2 = 2\n3 = 4\n4 = 7\n")
    assert faults_of(folder) == [
        "routes.csv, line 30, length: expected a length with points in rules.toml (1, 2, 3, 4), in variant short, got 7"
    ]


def test_all_faults_of_sets_of_tickets_at_once(tmp_path: Path) -> None:
    usa = shutil.copytree(data_folder() / "usa", tmp_path / "usa")
    break_(
        usa,
        (
            "tickets.csv",
            "Boston-Miami,Boston,Miami,12,base; mega; big_cities",
            "Boston-Miami,Boston,Miami,12,base; megga",
        ),
        ("tickets.csv", "Los Angeles-Miami,Los Angeles,Miami,20,base", "Los Angeles-Miami,Los Angeles,Miami,20,"),
    )
    assert faults_of(usa) == [
        "tickets.csv, line 2, sets: expected a set of rules.toml (1910, base, big_cities, mega), got 'megga'",
        "tickets.csv, line 29, sets: expected the sets of the same ticket on line 28, or none of them, got "
        + repr("mega; big_cities"),
    ]


def test_a_variant_needs_tickets_for_its_deal(tmp_path: Path) -> None:
    usa = shutil.copytree(data_folder() / "usa", tmp_path / "usa")
    with (usa / "rules.toml").open("a", encoding="utf-8") as file:
        file.write('\n[variants.none.tickets]\nset = "none"\n')
    (fault,) = faults_of(usa)
    assert fault == (
        "tickets.csv, ticket: expected at least 15 tickets of the set 'none' for the opening deal to 5 players, "
        "in variant none, got 0"
    )


def test_two_routes_with_one_id(folder: Path) -> None:
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("Hollow", "Brindle-Eksjö").replace("Lomond", "Eksjö-Farrow"), encoding="utf-8")
    with (folder / "routes.csv").open("a", encoding="utf-8") as file:
        file.write("Brindle-Eksjö,Farrow,0,1,red,0,0,1,,\nBrindle,Eksjö-Farrow,0,1,red,0,0,1,,\n")
    (fault,) = faults_of(folder)
    assert fault.startswith(
        "routes.csv, line 34, city_a: expected cities whose names give a different id from those of line 33"
    )


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("cities.csv", ",".join(["name"] * 60), "cities.csv, line 1: expected at most 50 columns, got 60 columns"),
        ("cities.csv", "na\x1b[31mme\n", "cities.csv, line 1, na\ufffd[31mme: unknown column"),
        ("rules.toml", f"title = 'x'\nplayers = [2, {'9' * 5000}]", "rules.toml: expected TOML, got a number of"),
        ("rules.toml", f"title = 'x'\n[trains]\nper_player = 0x{'f' * 6000}", "rules.toml, line 3, trains.per_player"),
        ("rules.toml", "".join(f"a{i}=1\n" for i in range(5001)), "rules.toml: expected at most 5,000 keys, got more"),
        ("rules.toml", f"title = 'x'\n{'a.' * 40_000}a = 1", "rules.toml, line 2: expected at most 10,000 characters"),
        ("rules.toml", f"title = 'x'\n[{'a.' * 60}a]", "rules.toml, line 2: expected at most 50 dots, got 60"),
        ("rules.toml", "[" + " " * 60_000, "rules.toml, line 1: expected at most 10,000 characters, got 60,001"),
        ("rules.toml", "#\n" * 80_000, "rules.toml: expected a file of at most 150,000 bytes, got more"),
        ("routes.csv", "city_a,city_b,length,color\n" + "a\n" * 5000, "routes.csv, line 2: expected 4 fields"),
    ],
)
def test_large_and_strange_files_are_refused_at_once(folder: Path, file: str, content: str, expected: str) -> None:
    (folder / file).write_text(content, encoding="utf-8")
    faults = faults_of(folder)
    assert any(fault.startswith(expected) for fault in faults)
    assert not any("\x1b" in fault for fault in faults)
    assert len(faults) < 300


def test_a_folder_in_place_of_a_file(folder: Path) -> None:
    (folder / "routes.csv").unlink()
    (folder / "routes.csv").mkdir()
    assert faults_of(folder) == ["routes.csv: expected a file, got something else"]


def test_neither_a_map_nor_a_folder(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no map or map folder 'nordik'; did you mean nordic"):
        ttr.load_map("nordik")
    with pytest.raises(LookupError, match="choose one of europe, nederland, nordic, switzerland, usa"):
        ttr.load_map(tmp_path / "zzzzzz")


DECK_FAULTS: dict[str, tuple[Change, str]] = {
    "no such deck": (
        ("tickets.csv", "Amsterdam-Wilno,Amsterdam,Wilno,12,short", "Amsterdam-Wilno,Amsterdam,Wilno,12,tall"),
        "tickets.csv, line 5, deck: expected a deck of rules.toml (long, short), got 'tall'",
    ),
    "no deck where there are several": (
        ("tickets.csv", "Amsterdam-Wilno,Amsterdam,Wilno,12,short", "Amsterdam-Wilno,Amsterdam,Wilno,12,"),
        "tickets.csv, line 5, deck: expected a deck of rules.toml (long, short), got ''",
    ),
    "deals that do not add up": (
        ("rules.toml", "opening_deal = 1", "opening_deal = 2"),
        "rules.toml, line 49, tickets.opening_deal: expected 5, the tickets that the decks deal in total, got 4",
    ),
    "two decks of one name": (
        ("rules.toml", 'name = "short"', 'name = "long"'),
        'rules.toml, line 62, tickets.decks.1.name: expected a different name for each deck, got "long"',
    ),
}


@pytest.mark.parametrize(("change", "expected"), DECK_FAULTS.values(), ids=DECK_FAULTS)
def test_faults_of_decks(tmp_path: Path, change: Change, expected: str) -> None:
    europe = shutil.copytree(data_folder() / "europe", tmp_path / "europe")
    break_(europe, change)
    assert faults_of(europe) == [expected]


def test_a_deck_with_too_few_tickets(tmp_path: Path) -> None:
    europe = shutil.copytree(data_folder() / "europe", tmp_path / "europe")
    break_(europe, ("tickets.csv", "20,long", "20,short"), ("rules.toml", "players = [2, 5]", "players = [2, 6]"))
    assert faults_of(europe) == [
        "tickets.csv, deck: expected at least 6 tickets of the deck 'long' for the opening deal to 6 players, got 5"
    ]


def test_a_deck_that_the_rules_do_not_know(folder: Path) -> None:
    content = (folder / "tickets.csv").read_text(encoding="utf-8").splitlines()
    lines = [content[0] + ",deck", content[1] + ",long", *(line + "," for line in content[2:])]
    (folder / "tickets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert faults_of(folder) == ["tickets.csv, line 2, deck: expected no deck without [[tickets.decks]], got 'long'"]
