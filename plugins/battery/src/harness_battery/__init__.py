"""Lithium-ion cell design: choose electrodes that meet capacity, energy and temperature targets under a told duty."""

__all__: list[str] = []
