"""Where the fields of a packed state lie: for tests that put or read single cells."""

from ttr_analysis.engine.layout import State

PHASE = State.fields["phase"].offset
SEAT = State.fields["seat"].offset
N_TURNS = State.fields["n_turns"].offset
N_TAKEN = State.fields["n_taken"].offset
LAST_LEFT = State.fields["last_left"].offset
LAST_SEAT = State.fields["last_seat"].offset
N_PASSES = State.fields["n_passes"].offset
ENDING = State.fields["ending"].offset
N_CLAIMS = State.fields["n_claims"].offset
N_PILE = State.fields["n_pile"].offset
N_SHUFFLES = State.fields["n_shuffles"].offset
PENDING = State.fields["pending"].offset
PENDING_COLOR = State.fields["pending_color"].offset
SURCHARGE = State.fields["surcharge"].offset
N_TICKET_PILE = State.fields["n_ticket_pile"].offset
N_QUEUED = State.fields["n_queued"].offset
N_TICKET_DISCARDS = State.fields["n_ticket_discards"].offset
NEUTRAL_IN = State.fields["neutral_in"].offset
MARKER = State.fields["marker"].offset
NEUTRAL_TICKET = State.fields["neutral_ticket"].offset
FAULT = State.fields["fault"].offset
STREAM = State.fields["stream"].offset
DRAW_PILE = State.fields["draw_pile"].offset
DISCARDS = State.fields["discards"].offset
LAID = State.fields["laid"].offset
POOL = State.fields["pool"].offset
HAND = State.fields["hand"].offset
BLIND = State.fields["blind"].offset
KNOWN = State.fields["known"].offset
N_HAND = State.fields["n_hand"].offset
OLD = State.fields["old"].offset
TRAINS = State.fields["trains"].offset
SCORE = State.fields["score"].offset
TOKENS = State.fields["tokens"].offset
LOANS = State.fields["loans"].offset
N_HELD = State.fields["n_held"].offset
N_OFFER = State.fields["n_offer"].offset
OFFER = State.fields["offer"].offset
HELD = State.fields["held"].offset
TICKET_AT = State.fields["ticket_at"].offset
RETURNED_BY = State.fields["returned_by"].offset
QUEUE = State.fields["queue"].offset
OWNER = State.fields["owner"].offset
CLAIMED = State.fields["claimed"].offset
