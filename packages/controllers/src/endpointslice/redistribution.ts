import type { Allocation } from "./zone-shares.ts"

/** How many endpoints each zone gives to others, and gets from them. */
export interface Redistribution {
  readonly giving: Map<string, number>
  readonly receiving: Map<string, number>
}

/**
 * From the zone with the most to spare to the one that lacks most, one endpoint at a time, as long as that helps: both sides at least half an
 * endpoint, one of them a whole one. Traffic stays in its zone rather than being spread perfectly.
 */
export function redistribution(wanted: ReadonlyMap<string, Allocation>, hinted: ReadonlyMap<string, number>): Redistribution {
  const over = [...wanted].map(([zone, { desired }]) => [zone, (hinted.get(zone) ?? 0) - desired] as const)
  const spare = new Map(over.filter(([, count]) => count > 0))
  const lack = new Map(over.filter(([, count]) => count < 0).map(([zone, count]) => [zone, -count]))
  const giving = new Map<string, number>()
  const receiving = new Map<string, number>()
  for (;;) {
    const [giver, maxSpare] = most(spare)
    const [receiver, mostLack] = most(lack)
    if (maxSpare < 0.5 || mostLack < 0.5 || (maxSpare < 1 && mostLack < 1)) return { giving, receiving }
    spare.set(giver, maxSpare - 1)
    lack.set(receiver, mostLack - 1)
    giving.set(giver, (giving.get(giver) ?? 0) + 1)
    receiving.set(receiver, (receiving.get(receiver) ?? 0) + 1)
  }
}

/** The first of the zones with the highest count, and that count; 0 when none has any. */
function most(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let found: readonly [string, number] = ["", 0]
  for (const [zone, count] of counts) if (count > found[1]) found = [zone, count]
  return found
}
