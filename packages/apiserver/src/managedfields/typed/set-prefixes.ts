import { emptySet, type FieldSet, nodeOf, self } from "../fieldpath/field-set.ts"
import type { PathElement } from "../fieldpath/path-element.ts"

/** What stands for an element while a node is put together: the name of a field, the value of a list's only key, or `selfToken`. */
export type Token = unknown

/** The node itself. */
export const selfToken = Symbol(self)

/** A node with more elements than this is rarely met twice. */
const maxSharedElements = 64
/** Characters of a name or key that is kept: those of valid objects are shorter. */
const maxSharedToken = 256
/** Of all types together; some 10 MB. */
const maxPrefixes = 65_536

/**
 * The nodes of one type that were put together before, as a tree: each element leads from one prefix to the next. Objects of one shape, such as the pods of
 * a ReplicaSet, end at the same prefix and share one frozen node, which then costs a lookup per element. All trees are dropped when there are too many
 * prefixes: nothing but time and memory depends on them.
 */
export class SetPrefixes {
  readonly #elementOf: (token: Token) => PathElement
  #start: Prefix | undefined
  /** The count of drops when `#start` was made; another one means that it is out of date. */
  #drops = 0

  constructor(elementOf: (token: Token) => PathElement) {
    this.#elementOf = elementOf
  }

  /** For a node of about so many elements. */
  begin(size: number): NodeBuilder {
    if (size > maxSharedElements) return new WideNode(this.#elementOf)
    if (this.#start === undefined || this.#drops !== bound.drops) {
      this.#start = new Prefix(this.#elementOf)
      this.#drops = bound.drops
    }
    return this.#start
  }
}

/** How many prefixes there are, and how often they were dropped. */
const bound = { prefixes: 0, drops: 0 }

/** A node that grows by one element after the other, each at most once and in any order. */
export interface NodeBuilder {
  /** The builder to go on with. */
  with(token: Token, node: FieldSet): NodeBuilder
  /** The node; undefined while it has no element. */
  build(): FieldSet | undefined
}

class Prefix implements NodeBuilder {
  readonly #elementOf: (token: Token) => PathElement
  readonly #before: Prefix | undefined
  readonly #token: Token
  readonly #node: FieldSet | undefined
  #built: FieldSet | undefined
  /** The next prefix that was met first: mostly the only one. */
  #next: Prefix | undefined
  #others: Map<Token, Map<FieldSet, Prefix>> | undefined

  constructor(elementOf: (token: Token) => PathElement, before?: Prefix, token?: Token, node?: FieldSet) {
    this.#elementOf = elementOf
    this.#before = before
    this.#token = token
    this.#node = node
  }

  with(token: Token, node: FieldSet): NodeBuilder {
    // A key that a client makes up, of up to the size of a body, is not kept.
    if (typeof token === "string" && token.length > maxSharedToken) return this.#wide().with(token, node)
    const next = this.#next
    if (next !== undefined && next.#token === token && next.#node === node) return next
    return this.#others?.get(token)?.get(node) ?? this.#add(token, node)
  }

  #add(token: Token, node: FieldSet): Prefix {
    const added = new Prefix(this.#elementOf, this, token, node)
    if (++bound.prefixes > maxPrefixes) {
      bound.prefixes = 0
      bound.drops++
    }
    if (this.#next === undefined) this.#next = added
    else {
      this.#others ??= new Map()
      const others = this.#others.get(token) ?? new Map<FieldSet, Prefix>()
      this.#others.set(token, others.set(node, added))
    }
    return added
  }

  build(): FieldSet | undefined {
    if (this.#before === undefined) return undefined
    this.#built ??= this.#make()
    return this.#built
  }

  #wide(): WideNode {
    const entries: [PathElement, FieldSet][] = []
    this.#collect(entries)
    return new WideNode(this.#elementOf, entries)
  }

  #make(): FieldSet {
    const entries: [PathElement, FieldSet][] = []
    this.#collect(entries)
    return nodeFrom(entries)
  }

  #collect(entries: [PathElement, FieldSet][]): void {
    if (this.#before === undefined) return
    this.#before.#collect(entries)
    entries.push([this.#token === selfToken ? self : this.#elementOf(this.#token), this.#node!])
  }
}

class WideNode implements NodeBuilder {
  readonly #elementOf: (token: Token) => PathElement
  readonly #entries: [PathElement, FieldSet][]

  constructor(elementOf: (token: Token) => PathElement, entries: [PathElement, FieldSet][] = []) {
    this.#elementOf = elementOf
    this.#entries = entries
  }

  with(token: Token, node: FieldSet): this {
    this.#entries.push([token === selfToken ? self : this.#elementOf(token), node])
    return this
  }

  build(): FieldSet | undefined {
    return this.#entries.length === 0 ? undefined : nodeFrom(this.#entries)
  }
}

/** A member that has nothing below it has one form. */
function nodeFrom(entries: [PathElement, FieldSet][]): FieldSet {
  return entries.length === 1 && entries[0]![0] === self ? emptySet : nodeOf(entries)
}
