/**
 * Paths of strings that many objects of a cluster share. `[]` stands for every item of a list, `*` for every field of a map.
 * Only these: a lookup of every string of an object costs more than parsing it.
 */
const everyKind: readonly string[] = [
  "metadata.namespace",
  "metadata.generateName",
  "metadata.labels.*",
  "metadata.ownerReferences[].apiVersion",
  "metadata.ownerReferences[].kind",
  "metadata.ownerReferences[].name",
  "metadata.ownerReferences[].uid",
]

const byKind: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    "spec.nodeName",
    "spec.serviceAccountName",
    "spec.serviceAccount",
    "spec.schedulerName",
    "spec.preemptionPolicy",
    "spec.tolerations[].key",
    "spec.containers[].image",
    "spec.containers[].terminationMessagePath",
    "spec.containers[].env[].value",
    "spec.containers[].volumeMounts[].mountPath",
    "status.conditions[].type",
    "status.containerStatuses[].image",
    "status.containerStatuses[].imageID",
  ],
  EndpointSlice: ["endpoints[].nodeName", "endpoints[].zone"],
}

/** V8 keeps one copy of each value of up to ten characters by itself when it parses JSON. */
const sharedAnyway = 10

/**
 * Keeps one copy of each frequent string.
 *
 * Invariant: at most `limit` strings are kept. A full table is cleared: frequent strings are back at once.
 */
export class Interner {
  readonly #strings = new Map<string, string>()
  readonly #limit: number

  constructor(limit = 10_000) {
    this.#limit = limit
  }

  get size(): number {
    return this.#strings.size
  }

  /** Returns an equal string, the same one every time. */
  intern(text: string): string {
    if (text.length <= sharedAnyway) return text
    const known = this.#strings.get(text)
    if (known !== undefined) return known
    if (this.#strings.size >= this.#limit) this.#strings.clear()
    this.#strings.set(text, text)
    return text
  }
}

/**
 * Where in an object there is something to intern: a tree of the paths, so that each part of an object is visited once.
 * Arrays and not maps: this runs for every object of every event.
 */
interface Branch {
  readonly names: string[]
  readonly below: Branch[]
  /** The branch below every item or field. */
  every: Branch | undefined
  /** The last string at this path: neighbours of a list often share it, and comparing is cheaper than hashing. */
  last: string
}

type Fields = Record<string, unknown>

/** Returns a function that interns the listed strings of an object in place: for objects that are not shared yet. */
export function interning(kind: string, interner: Interner): (object: object) => void {
  // Built with the first object: most kinds of a new cluster have none.
  let root: Branch | undefined
  return (object) => visit(object as Fields, (root ??= treeOf(kind)), interner)
}

function treeOf(kind: string): Branch {
  const root = branch()
  for (const path of [...everyKind, ...(byKind[kind] ?? [])]) grow(root, path.replaceAll("[]", ".*").split("."))
  return root
}

function branch(): Branch {
  return { names: [], below: [], every: undefined, last: "" }
}

function grow(from: Branch, [step, ...rest]: readonly string[]): void {
  if (step === undefined) return
  if (step === "*") {
    from.every ??= branch()
    return grow(from.every, rest)
  }
  const at = from.names.indexOf(step)
  const next = from.below[at] ?? branch()
  if (at < 0) {
    from.names.push(step)
    from.below.push(next)
  }
  grow(next, rest)
}

function visit(node: Fields, { names, below, every }: Branch, interner: Interner): void {
  for (let at = 0; at < names.length; at++) visitField(node, names[at]!, below[at]!, interner)
  if (every === undefined) return
  if (Array.isArray(node)) for (const item of node) visit(item, every, interner)
  else for (const key in node) visitField(node, key, every, interner)
}

function visitField(node: Fields, key: string, below: Branch, interner: Interner): void {
  const value = node[key]
  if (typeof value === "string") {
    if (value.length <= sharedAnyway) return
    if (value !== below.last) below.last = interner.intern(value)
    node[key] = below.last
  } else if (typeof value === "object" && value !== null) visit(value as Fields, below, interner)
}
