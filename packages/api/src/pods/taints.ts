import type { Taint, Toleration } from "../generated/core/v1.types.ts"

/** Options of the matching of tolerations. */
export interface TolerationOptions {
  /** Whether the operators Gt and Lt count: upstream keeps them behind a gate that is off (TaintTolerationComparisonOperators, alpha in 1.36). */
  readonly comparisons?: boolean
}

/** Reports whether the toleration lets a pod bear the taint. An empty key with Exists bears every taint; an empty effect every effect. */
export function tolerates(toleration: Toleration, taint: Taint, options: TolerationOptions = {}): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  switch (toleration.operator ?? "") {
    case "":
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "")
    case "Exists":
      return true
    case "Gt":
    case "Lt":
      return options.comparisons === true && compares(toleration, taint)
    default:
      return false
  }
}

/** "Gt" with 5 bears a taint of 6. Values that are no plain numbers are never borne. */
function compares(toleration: Toleration, taint: Taint): boolean {
  const [limit, value] = [integerOf(toleration.value ?? ""), integerOf(taint.value ?? "")]
  if (limit === undefined || value === undefined) return false
  return toleration.operator === "Gt" ? value > limit : value < limit
}

/** Written as people write numbers: no plus, no leading zeros; and within 64 bits. */
function integerOf(text: string): bigint | undefined {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return undefined
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

type Taints = readonly Taint[] | undefined
type Tolerations = readonly Toleration[] | undefined

/** Options of `untoleratedTaint`. */
export interface UntoleratedOptions extends TolerationOptions {
  /** Only taints with these effects; all when left out. */
  readonly effects?: readonly Taint["effect"][]
}

/** The first taint that none of the tolerations bears: the reason why the pod may not be there. */
export function untoleratedTaint(taints: Taints, tolerations: Tolerations, options: UntoleratedOptions = {}): Taint | undefined {
  const { effects } = options
  const candidates = candidatesIn(taints, tolerations)
  return taints?.find((taint) => {
    if (effects !== undefined && !effects.includes(taint.effect)) return false
    return !candidates(taint).some((toleration) => tolerates(toleration, taint, options))
  })
}

/** From this many pairs on, tolerations are looked up by key: a pod and a node may have tens of thousands each. */
const manyPairs = 1000

interface TolerationIndex {
  readonly byKey: ReadonlyMap<string, readonly Toleration[]>
  /** Where each stands in the list. */
  readonly places: ReadonlyMap<Toleration, number>
}

/** Of frozen lists, which do not change: those of one pod are asked for with each node. */
const indexes = new WeakMap<readonly Toleration[], TolerationIndex>()

function indexOf(tolerations: readonly Toleration[]): TolerationIndex {
  const known = indexes.get(tolerations)
  if (known !== undefined) return known
  // Of those that bear the same taints the first is used.
  const distinct = Map.groupBy(tolerations, ({ key, operator, value, effect }) => JSON.stringify([key, operator, value, effect]))
  const firsts = [...distinct.values()].map(([first]) => first!)
  const places = new Map(firsts.map((toleration, at) => [toleration, at]))
  const made = { byKey: Map.groupBy(firsts, ({ key }) => key ?? ""), places }
  if (Object.isFrozen(tolerations)) indexes.set(tolerations, made)
  return made
}

/** The tolerations that may bear a taint, in their order: those of its key and those without one. */
function candidatesIn(taints: Taints = [], tolerations: Tolerations = []): (taint: Taint) => readonly Toleration[] {
  if (taints.length * tolerations.length < manyPairs) return () => tolerations
  const { byKey, places } = indexOf(tolerations)
  const anyKey = byKey.get("") ?? []
  return ({ key }) => {
    const own = key === "" ? [] : (byKey.get(key) ?? [])
    if (own.length === 0 || anyKey.length === 0) return own.length === 0 ? anyKey : own
    return [...own, ...anyKey].sort((one, other) => places.get(one)! - places.get(other)!)
  }
}

/** For each taint the first toleration that bears it; undefined when a taint is borne by none. */
export function tolerationsFor(
  taints: Taints,
  tolerations: Tolerations,
  options: TolerationOptions = {},
): readonly Toleration[] | undefined {
  const used: Toleration[] = []
  const candidates = candidatesIn(taints, tolerations)
  for (const taint of taints ?? []) {
    const toleration = candidates(taint).find((candidate) => tolerates(candidate, taint, options))
    if (toleration === undefined) return undefined
    used.push(toleration)
  }
  return used
}

/**
 * Returns how long a pod may stay under NoExecute taints that these tolerations bear: Infinity when none of them has a limit, 0 when there are none.
 */
export function minimumTolerationSeconds(tolerations: readonly Toleration[]): number {
  if (tolerations.length === 0) return 0
  const limits = tolerations.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Math.max(0, Number(tolerationSeconds))],
  )
  return Math.min(Number.POSITIVE_INFINITY, ...limits)
}

/** Two taints of one node may not have both the same: the value is what changes. */
export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}
