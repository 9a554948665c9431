from .numbering import action_mask as action_mask
from .numbering import action_words as action_words
from .numbering import to_action as to_action
from .numbering import to_index as to_index
