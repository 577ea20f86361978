import { emptySet, type FieldSet, nodeOf } from "../fieldpath/field-set.ts"
import type { PathElement } from "../fieldpath/path-element.ts"
import { isUnshared, markUnshared, Prefixes, type Token } from "./set-prefixes.ts"

/** What changed from one value to another: the Comparison of structured-merge-diff. No path is in two of the sets, but for an item that was or is there more than once. */
export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

/** Nothing changed. */
export const noChange: Comparison = Object.freeze({ removed: emptySet, modified: emptySet, added: emptySet })

/** What changed at and below one place: the nodes of the three sets, each undefined where the set has nothing there. */
export class Change {
  readonly removed: FieldSet | undefined
  readonly modified: FieldSet | undefined
  readonly added: FieldSet | undefined
  #comparison: Comparison | undefined

  /** Through `changeOfSets` and the prefixes alone, so that equal changes are one object nearly always. */
  constructor(removed: FieldSet | undefined, modified: FieldSet | undefined, added: FieldSet | undefined) {
    this.removed = removed
    this.modified = modified
    this.added = added
  }

  /** At the root; the same object at every call. */
  get comparison(): Comparison {
    const { removed = emptySet, modified = emptySet, added = emptySet } = this
    this.#comparison ??= Object.freeze({ removed, modified, added })
    return this.#comparison
  }
}

export const modifiedLeaf = new Change(undefined, emptySet, undefined)

const none = Object.freeze({})
/** By what was removed, modified and added. */
const changes = new WeakMap<object, WeakMap<object, WeakMap<object, Change>>>()

/** Returns the one change of three nodes. */
export function changeOfSets({ removed, modified, added }: Partial<Comparison>): Change {
  const byModified = entryOf(changes, removed ?? none, () => new WeakMap<object, WeakMap<object, Change>>())
  const byAdded = entryOf(byModified, modified ?? none, () => new WeakMap<object, Change>())
  return entryOf(byAdded, added ?? none, () => withSharing([removed, modified, added], new Change(removed, modified, added)))
}

function entryOf<T extends object>(map: WeakMap<object, T>, key: object, make: () => T): T {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

function withSharing(nodes: readonly (FieldSet | undefined)[], change: Change): Change {
  return nodes.some((node) => node !== undefined && isUnshared(node)) ? markUnshared(change) : change
}

/** The prefixes of changes. */
export function changePrefixes(elementOf: (token: Token) => PathElement): Prefixes<Change> {
  return new Prefixes({ elementOf, make: changeOfElements })
}

type Entries<Node> = [PathElement, Node][]

function changeOfElements(entries: Entries<Change>): Change {
  const sets = { removed: [] as Entries<FieldSet>, modified: [] as Entries<FieldSet>, added: [] as Entries<FieldSet> }
  for (const [element, change] of entries) {
    for (const part of ["removed", "modified", "added"] as const) {
      const node = change[part]
      if (node !== undefined) sets[part].push([element, node])
    }
  }
  const nodeOrNone = (elements: Entries<FieldSet>) => (elements.length === 0 ? undefined : nodeOf(elements))
  return new Change(nodeOrNone(sets.removed), nodeOrNone(sets.modified), nodeOrNone(sets.added))
}
