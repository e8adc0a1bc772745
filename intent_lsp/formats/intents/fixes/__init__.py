"""Fixes that give a part of the intents file its normal form, each as changes of the text."""
