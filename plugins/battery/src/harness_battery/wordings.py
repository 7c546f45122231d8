"""The texts of the prompt: per language three openings, particle notes, fast-charge paragraphs and closings.

Each wording uses every fact; the braces name entries of `prompt.DesignPrompt.facts`.
"""

# ruff: noqa: E501 — each paragraph of a prompt is one line of text
from __future__ import annotations

from collections.abc import Mapping

_EN_OPENINGS = (
    """You design a lithium-ion cell: {materials} (parameter set {chemistry}). Its electrode area is {area}, its cooled surface {cooling_area}, its separator {separator}, its negative and positive foil {foils}. It works between {voltages}. Binder and carbon take a fixed share of each electrode (negative / positive: {inert}); pores and active material share the rest, so a more porous electrode stores less. The published particle radii (negative / positive) are {particles}.

Choose, within bounds:
- {negative_thickness_um}
- {negative_porosity}
- {positive_thickness_um}
- {positive_porosity}

Duty: discharge from full at {c_rate}, where 1 C is the nominal capacity of your own design, at an ambient temperature of {ambient} with a heat-transfer coefficient of {cooling}.

Requirements:
- N/P ratio (all negative sites over the usable positive ones): {n_to_p}
- delivered capacity {capacity_ah}
- specific energy of the electrode stack, electrolyte and foils included, housing not: {energy_wh_per_kg}
- peak temperature {peak_c}

This cell differs from the published one: its exchange-current densities by a factor within {kinetics_band}, its electrolyte transport by a factor within {transport_band}, the share of active material that takes part lies within {active_band}, and it has a contact resistance within {contact_band}. None of the four is told; only simulations show their effect.""",
    """A cell maker asks for an electrode design. The chemistry is {chemistry}: {materials}. Given are the electrode area {area}, the cooled surface {cooling_area}, the separator {separator}, the foils of the negative and the positive side {foils}, the voltage range {voltages}, the particle radii (negative / positive) {particles}, and the share of binder and carbon in the electrodes (negative / positive) {inert}. What is neither pore nor binder and carbon is active material.

What the design must reach:
1. delivered capacity {capacity_ah}
2. specific energy {energy_wh_per_kg}, over the mass of coatings, electrolyte, foils and separator
3. peak temperature {peak_c}
4. N/P ratio {n_to_p}, as negative sites over usable positive sites

under this duty: from full charge, {c_rate} (of the nominal capacity of the design itself) until the low voltage, ambient {ambient}, heat-transfer coefficient {cooling}.

What you set, in these ranges: {negative_thickness_um}; {negative_porosity}; {positive_thickness_um}; {positive_porosity}.

The cell on the bench is not the textbook cell. Four numbers are unknown: a factor on both exchange-current densities ({kinetics_band}), a factor on diffusivity and conductivity of the electrolyte ({transport_band}), the share of active material that is connected ({active_band}), a contact resistance ({contact_band}). You learn of them by simulating.""",
    """Task: find the thickness and porosity of both electrodes of a {chemistry} cell ({materials}).

Design variables
  {negative_thickness_um}
  {negative_porosity}
  {positive_thickness_um}
  {positive_porosity}

Targets, all of them at once
  N/P ratio {n_to_p}
  capacity {capacity_ah}
  energy per stack mass {energy_wh_per_kg}
  hottest temperature {peak_c}

Conditions
  discharge rate {c_rate}, relative to each design's own nominal capacity
  ambient {ambient}, cooling {cooling} over {cooling_area}
  voltage window {voltages}

Fixed parts
  electrode area {area}; separator {separator}; foils (negative + positive) {foils}
  binder and carbon share (negative / positive) {inert}; active material is what pores and these leave
  particle radius (negative / positive) {particles}

Unknown parts of this very cell, each within a band: exchange-current factor {kinetics_band}; electrolyte transport factor {transport_band}; connected share of active material {active_band}; contact resistance {contact_band}. They act in every simulation.""",
)

_EN_PARTICLE = (
    """The particle radius of the negative electrode is yours as well ({negative_particle_um}) and replaces the published one. Finer particles react faster but bind more lithium for good at the first charge.""",
    """A fifth variable is free: {negative_particle_um}, in place of the published radius. Surface costs lithium: what the first charge binds grows as the radius shrinks.""",
    """Also free, instead of the published radius: {negative_particle_um}. Small particles lower the losses; they also use up more lithium in the first charge.""",
)

_EN_FAST = (
    """The design must also take a fast charge from {charge_start} state of charge at {charge_rate}: it must take {charge_percent} of its nominal capacity before the high voltage, and until it has taken that share the potential of the negative electrode against lithium must stay {plating_mv}, or lithium plates.""",
    """Second duty: charge at {charge_rate}, starting at {charge_start} state of charge. Required are {charge_percent} of the nominal capacity before the high voltage is reached, and no plating on the way: potential of the negative electrode against lithium {plating_mv}.""",
    """Fast charge, required as well
  from {charge_start} state of charge at {charge_rate}
  share of nominal capacity taken before the high voltage {charge_percent}
  least potential of the negative electrode against lithium until then {plating_mv}""",
)

_EN_CLOSING = (
    """estimate is free, simulate is limited to {simulations} runs, and the whole episode to {turns} turns. Simulate to see each quantity and its distance from the requirement, then submit one design. Unused simulations count in your favour.""",
    """You have {simulations} simulations and {turns} turns; estimates by algebra cost no simulation. Finish with submit. All requirements must hold; the fewer simulations it takes, the better.""",
    """Budget: {simulations} simulations, {turns} turns; estimate is not limited. End with submit. Success needs every target; saved simulations raise the score.""",
)

_ZH_OPENINGS = (
    """请设计一个锂离子电池:{materials}(参数集 {chemistry})。电极面积 {area},散热面积 {cooling_area},隔膜 {separator},负极与正极集流体 {foils},工作电压 {voltages}。粘结剂和导电碳在每个电极中占固定份额(负极 / 正极:{inert}),其余由孔隙和活性物质分享,因此孔隙率越高,储存越少。公开的颗粒半径(负极 / 正极)为 {particles}。

在范围内选择:
- {negative_thickness_um}
- {negative_porosity}
- {positive_thickness_um}
- {positive_porosity}

工况:从满电以 {c_rate} 放电(1 C 指你自己设计的标称容量),环境温度 {ambient},换热系数 {cooling}。

要求:
- N/P 比(全部负极位点与可用正极位点之比):{n_to_p}
- 放出容量 {capacity_ah}
- 电极叠层(含电解液和集流体,不含外壳)的比能量 {energy_wh_per_kg}
- 最高温度 {peak_c}

这个电池与公开的电池不同:交换电流密度差一个系数,在 {kinetics_band} 之内;电解液传输差一个系数,在 {transport_band} 之内;参与反应的活性物质份额在 {active_band} 之内;另有接触电阻,在 {contact_band} 之内。四者都不会告知,只有仿真能显示其影响。""",
    """一家电池厂需要一份电极设计。体系为 {chemistry}:{materials}。已知电极面积 {area}、散热面积 {cooling_area}、隔膜 {separator}、负极与正极集流体 {foils}、电压范围 {voltages}、颗粒半径(负极 / 正极){particles},以及电极中粘结剂与导电碳的份额(负极 / 正极){inert}。除孔隙、粘结剂和导电碳外都是活性物质。

设计必须达到:
1. 放出容量 {capacity_ah}
2. 比能量 {energy_wh_per_kg},按涂层、电解液、集流体和隔膜的质量计
3. 最高温度 {peak_c}
4. N/P 比 {n_to_p},即负极位点与可用正极位点之比

工况:从满电以 {c_rate}(按该设计自身的标称容量)放到低电压,环境温度 {ambient},换热系数 {cooling}。

可选的量及其范围:{negative_thickness_um};{negative_porosity};{positive_thickness_um};{positive_porosity}。

台架上的电池并非教科书里的电池。有四个未知数:两个交换电流密度的系数({kinetics_band})、电解液扩散与电导的系数({transport_band})、连通的活性物质份额({active_band})、接触电阻({contact_band})。只能通过仿真了解。""",
    """任务:为 {chemistry} 电池({materials})确定两个电极的厚度和孔隙率。

设计变量
  {negative_thickness_um}
  {negative_porosity}
  {positive_thickness_um}
  {positive_porosity}

目标,须同时满足
  N/P 比 {n_to_p}
  容量 {capacity_ah}
  单位叠层质量的能量 {energy_wh_per_kg}
  最高温度 {peak_c}

条件
  放电倍率 {c_rate},相对各设计自身的标称容量
  环境 {ambient},冷却 {cooling},散热面积 {cooling_area}
  电压窗口 {voltages}

固定部分
  电极面积 {area};隔膜 {separator};集流体(负极 + 正极){foils}
  粘结剂与导电碳份额(负极 / 正极){inert};活性物质为扣除它们和孔隙后的部分
  颗粒半径(负极 / 正极){particles}

这个电池的未知量,各在一个范围内:交换电流系数 {kinetics_band};电解液传输系数 {transport_band};连通的活性物质份额 {active_band};接触电阻 {contact_band}。每次仿真都含有它们的作用。""",
)

_ZH_PARTICLE = (
    """负极颗粒半径也由你决定({negative_particle_um}),取代公开值。颗粒越细,反应越快,但首次充电时永久消耗的锂也越多。""",
    """第五个变量也可自选:{negative_particle_um},取代公开半径。表面要消耗锂:半径越小,首次充电消耗的锂越多。""",
    """同样可选,取代公开半径:{negative_particle_um}。小颗粒降低损耗,但首次充电会用掉更多的锂。""",
)

_ZH_FAST = (
    """设计还必须能快充:从荷电状态 {charge_start} 起以 {charge_rate} 充电,在达到高电压之前须充入标称容量的 {charge_percent},并且在充到该份额之前,负极对锂的电位须保持 {plating_mv},否则会析锂。""",
    """第二个工况:从荷电状态 {charge_start} 起以 {charge_rate} 充电。在达到高电压之前须充入标称容量的 {charge_percent},途中不得析锂:负极对锂的电位 {plating_mv}。""",
    """快充,同样必须满足
  从荷电状态 {charge_start} 起以 {charge_rate} 充电
  达到高电压前充入标称容量的份额 {charge_percent}
  在此之前负极对锂的最低电位 {plating_mv}""",
)

_ZH_CLOSING = (
    """estimate 免费,simulate 最多 {simulations} 次,整个过程最多 {turns} 轮。用仿真查看每个量及其与要求的差距,然后提交一个设计。未用的仿真次数会加分。""",
    """你有 {simulations} 次仿真和 {turns} 轮;代数估算不消耗仿真。最后用 submit 结束。所有要求都须满足;仿真用得越少越好。""",
    """预算:{simulations} 次仿真,{turns} 轮;estimate 不限次数。以 submit 结束。成功须满足所有目标;省下的仿真会提高得分。""",
)

OPENINGS: Mapping[str, tuple[str, ...]] = {"en": _EN_OPENINGS, "zh": _ZH_OPENINGS}
PARTICLE: Mapping[str, tuple[str, ...]] = {"en": _EN_PARTICLE, "zh": _ZH_PARTICLE}
FAST_CHARGE: Mapping[str, tuple[str, ...]] = {"en": _EN_FAST, "zh": _ZH_FAST}
CLOSINGS: Mapping[str, tuple[str, ...]] = {"en": _EN_CLOSING, "zh": _ZH_CLOSING}
