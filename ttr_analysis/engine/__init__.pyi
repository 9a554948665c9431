from . import actions as actions
