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
/** Of all types together; some 3 MB. */
const maxPrefixes = 16_384
/**
 * How many prefixes lead on from one. A name that each object has for itself, such as that of a pod's own volume, makes one more for every object: what
 * follows from them is dropped, and objects that come in a row still share.
 */
const maxBranches = 128

/** How the nodes of one type are made of their elements. */
export interface NodeRules<Node extends object> {
  elementOf(token: Token): PathElement
  /** A node of one element or more, in any order. */
  make(entries: [PathElement, Node][]): Node
}

/**
 * The nodes of one type that were put together before, as a tree: each element leads from one prefix to the next. Objects of one shape, such as the pods of
 * a ReplicaSet, end at the same prefix and share one frozen node, which then costs a lookup per element. All trees are dropped when there are too many
 * prefixes: nothing but time and memory depends on them.
 */
export class Prefixes<Node extends object> {
  readonly #rules: NodeRules<Node>
  #start: Prefix<Node> | undefined
  /** The count of drops when `#start` was made; another one means that it is out of date. */
  #drops = 0

  constructor(rules: NodeRules<Node>) {
    this.#rules = rules
  }

  /** For a node of about so many elements. */
  begin(size: number): NodeBuilder<Node> {
    if (size > maxSharedElements) return new WideNode(this.#rules)
    if (this.#start === undefined || this.#drops !== bound.drops) {
      this.#start = new Prefix(this.#rules, 0)
      this.#drops = bound.drops
    }
    return this.#start
  }
}

/** The prefixes of sets. */
export function setPrefixes(elementOf: (token: Token) => PathElement): Prefixes<FieldSet> {
  return new Prefixes({ elementOf: (token) => (token === selfToken ? self : elementOf(token)), make: setNode })
}

/** A member that has nothing below it has one form. */
function setNode(entries: [PathElement, FieldSet][]): FieldSet {
  return entries.length === 1 && entries[0]![0] === self ? emptySet : nodeOf(entries)
}

/** How many prefixes there are, and how often they were dropped. */
const bound = { prefixes: 0, drops: 0 }

/** Nodes that no prefix leads to, so that none may lead on from them: each is met once, and may be as large as a body. */
const unshared = new WeakSet<object>()

/** Whether a node is recreated when its like is met again. */
export function isUnshared(node: object): boolean {
  return unshared.has(node)
}

/** Has no prefix lead on from a node. */
export function markUnshared<Node extends object>(node: Node): Node {
  unshared.add(node)
  return node
}

/** A node that grows by one element after the other, each at most once and in any order. */
export interface NodeBuilder<Node> {
  /** The builder to go on with. */
  with(token: Token, node: Node): NodeBuilder<Node>
  /** The node; undefined while it has no element. */
  build(): Node | undefined
}

class Prefix<Node extends object> implements NodeBuilder<Node> {
  readonly #rules: NodeRules<Node>
  readonly #size: number
  readonly #before: Prefix<Node> | undefined
  readonly #token: Token
  readonly #node: Node | undefined
  #built: Node | undefined
  /** The next prefix that was met first: mostly the only one. */
  #next: Prefix<Node> | undefined
  #others: Map<Token, Map<Node, Prefix<Node>>> | undefined
  #branches = 0

  constructor(rules: NodeRules<Node>, size: number, before?: Prefix<Node>, token?: Token, node?: Node) {
    this.#rules = rules
    this.#size = size
    this.#before = before
    this.#token = token
    this.#node = node
  }

  with(token: Token, node: Node): NodeBuilder<Node> {
    const next = this.#next
    if (next !== undefined && next.#token === token && next.#node === node) return next
    return this.#others?.get(token)?.get(node) ?? this.#add(token, node)
  }

  #add(token: Token, node: Node): NodeBuilder<Node> {
    // A key that a client makes up, of up to the size of a body, is not kept.
    const isLong = typeof token === "string" && token.length > maxSharedToken
    if (isLong || this.#size >= maxSharedElements || unshared.has(node)) return this.#wide().with(token, node)
    const added = new Prefix(this.#rules, this.#size + 1, this, token, node)
    if (++bound.prefixes > maxPrefixes) {
      bound.prefixes = 0
      bound.drops++
    }
    if (this.#next === undefined) this.#next = added
    else {
      if (++this.#branches > maxBranches) this.#forgetBranches()
      this.#others ??= new Map()
      const others = this.#others.get(token) ?? new Map<Node, Prefix<Node>>()
      this.#others.set(token, others.set(node, added))
    }
    return added
  }

  #forgetBranches(): void {
    this.#others = undefined
    this.#branches = 1
  }

  build(): Node | undefined {
    if (this.#before === undefined) return undefined
    this.#built ??= this.#rules.make(this.#entries())
    return this.#built
  }

  #wide(): WideNode<Node> {
    return new WideNode(this.#rules, this.#entries())
  }

  #entries(): [PathElement, Node][] {
    const entries = this.#before === undefined ? [] : this.#before.#entries()
    if (this.#before !== undefined) entries.push([this.#rules.elementOf(this.#token), this.#node!])
    return entries
  }
}

class WideNode<Node extends object> implements NodeBuilder<Node> {
  readonly #rules: NodeRules<Node>
  readonly #entries: [PathElement, Node][]

  constructor(rules: NodeRules<Node>, entries: [PathElement, Node][] = []) {
    this.#rules = rules
    this.#entries = entries
  }

  with(token: Token, node: Node): this {
    this.#entries.push([this.#rules.elementOf(token), node])
    return this
  }

  build(): Node | undefined {
    return this.#entries.length === 0 ? undefined : markUnshared(this.#rules.make(this.#entries))
  }
}
