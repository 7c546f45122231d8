"""Motion planning of robot arms as an executable environment: MuJoCo for distances, a conservative swept check."""

__all__: list[str] = []
