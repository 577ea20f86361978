import { setOwn } from "@pilothouse/seams"
import { type Alias, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, type Scalar as ScalarNode, type YAMLMap } from "yaml"
import type { Pause } from "../request/turns.ts"
import { AliasCount, refuseExcess } from "./alias-count.ts"
import { type Anchored, aliasTargets } from "./alias-targets.ts"
import { expansionSize } from "./expansion-size.ts"
import { firstDocument } from "./first-document.ts"
import { plainScalar, type Scalar, taggedScalar } from "./scalar.ts"
import { YamlFault } from "./yaml-fault.ts"
import { surrogateEscape } from "./yaml-text.ts"

export { maxTokens, TooManyTokens } from "./first-document.ts"

/** What a text says, and which keys it says twice: "line 3: key \"name\" already set in map". */
export interface YamlRead {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/** The first document of a text, as Go's YAML library and its way into JSON have it: maps in the order of their keys. Reports at most `maxDuplicates` duplicate keys. Throws YamlFault. */
export async function readYaml(text: string, pause: Pause, maxDuplicates: number): Promise<YamlRead> {
  const lines = new LineCounter()
  const document = await firstDocument(text, lines, pause)
  if (document === undefined) return { value: null, duplicates: [] }
  const targets = aliasTargets(document.contents)
  refuseLarge(document.contents, targets)
  const reader = new Reader({ text, lines, targets, maxDuplicates })
  return { value: reader.value(document.contents), duplicates: reader.duplicates }
}

/** Before anything is expanded: 120 KB of merged maps were refused only after half a second. */
function refuseLarge(root: unknown, targets: ReadonlyMap<Alias, Anchored>): void {
  const size = targets.size === 0 ? undefined : expansionSize(root, targets)
  if (size !== undefined) refuseExcess(size)
}

interface Reading {
  readonly text: string
  readonly lines: LineCounter
  readonly targets: ReadonlyMap<Alias, Anchored>
  readonly maxDuplicates: number
}

/** Between calls: `duplicates` has a line for each key that was found set, up to the limit; `#open` has the anchors whose aliases are being read. */
class Reader {
  readonly duplicates: string[] = []
  readonly #text: string
  readonly #targets: ReadonlyMap<Alias, Anchored>
  readonly #lines: LineCounter
  readonly #count = new AliasCount()
  readonly #open = new Set<Anchored>()
  readonly #maxDuplicates: number

  constructor({ text, lines, targets, maxDuplicates }: Reading) {
    this.#text = text
    this.#maxDuplicates = maxDuplicates
    this.#targets = targets
    this.#lines = lines
  }

  value(node: unknown): unknown {
    this.#count.node()
    if (isAlias(node)) return this.#inside(node, (target) => this.value(target))
    if (isScalar(node)) return jsonScalar(this.#scalar(node))
    if (isSeq(node)) return node.items.map((item) => this.value(item))
    return isMap(node) ? this.#map(node) : null
  }

  /** Reads what an alias stands for. */
  #inside<T>(alias: Alias, read: (target: Anchored) => T): T {
    const target = this.#target(alias)
    if (this.#open.has(target)) throw new YamlFault(`yaml: anchor '${alias.source}' value contains itself`)
    this.#open.add(target)
    const value = this.#count.inAlias(() => read(target))
    this.#open.delete(target)
    return value
  }

  /** Every alias of the document has one. */
  #target(alias: Alias): Anchored {
    return this.#targets.get(alias)!
  }

  #map(map: YAMLMap): unknown {
    const entries = new Map<Scalar, unknown>()
    this.#fill(map, entries)
    const named = new Map<string, unknown>()
    for (const [key, value] of entries) named.set(String(key), value)
    const sorted: Record<string, unknown> = {}
    for (const key of [...named.keys()].sort()) setOwn(sorted, key, named.get(key))
    return sorted
  }

  #fill(map: YAMLMap, entries: Map<Scalar, unknown>): void {
    for (const pair of map.items) {
      if (isMerge(pair)) this.#merge(pair.value, entries)
      else this.#set(pair, entries)
    }
  }

  /** Of a list the first counts most, so it is set last. */
  #merge(node: unknown, entries: Map<Scalar, unknown>): void {
    if (isSeq(node)) for (const item of node.items.toReversed()) this.#mergeMap(item, entries)
    else this.#mergeMap(node, entries)
  }

  /** Where a map is merged into another, its keys are set there and then. It counts though it be empty: empty ones multiply too. */
  #mergeMap(node: unknown, entries: Map<Scalar, unknown>): void {
    this.#count.node()
    if (isAlias(node) && isMap(this.#target(node))) this.#inside(node, (target) => this.#mergeMap(target, entries))
    else if (isMap(node)) this.#fill(node, entries)
    else throw new YamlFault("yaml: map merge requires map or sequence of maps as the value")
  }

  #set({ key: keyNode, value: valueNode }: Pair, entries: Map<Scalar, unknown>): void {
    this.#count.node()
    const resolved = isAlias(keyNode) ? this.#target(keyNode) : keyNode
    if (!isScalar(resolved)) throw new YamlFault("yaml: invalid map key")
    const key = this.#scalar(resolved)
    const value = this.value(valueNode)
    if (entries.has(key)) this.#duplicate(key, this.#lineOf(valueNode, keyNode))
    entries.set(key, value)
  }

  /** Of the first ones only: an alias of a long key, again and again, would fill the memory. */
  #duplicate(key: Scalar, line: number): void {
    if (this.duplicates.length < this.#maxDuplicates) this.duplicates.push(`line ${line}: key ${keyText(key)} already set in map`)
  }

  #scalar(node: ScalarNode): Scalar {
    const [start = 0, end = 0] = node.range ?? []
    if (node.type === "QUOTE_DOUBLE" && hasSurrogates.test(String(node.value))) this.#refuseSurrogates(start, end)
    return scalarOf(node)
  }

  /** Half a character has no escape of its own in YAML, and so a pair of them is none. */
  #refuseSurrogates(start: number, end: number): void {
    for (const { 0: escape, index } of this.#text.slice(start, end).matchAll(/\\(?:u.{4}|.)/gs)) {
      if (!surrogateEscape.test(escape)) continue
      const { line } = this.#lines.linePos(start + index)
      throw new YamlFault(`yaml: ${line === 1 ? "" : `line ${line}: `}found invalid Unicode character escape code`)
    }
  }

  /** The value's, as Go's library has it. */
  #lineOf(...nodes: readonly unknown[]): number {
    const start = nodes.map(startOf).find((one) => one !== undefined) ?? 0
    return this.#lines.linePos(start).line
  }
}

function isMerge({ key }: Pair): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.value === "<<"
}

function startOf(node: unknown): number | undefined {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range?.[0]
  return undefined
}

const hasSurrogates = /[\ud800-\udfff]/

function scalarOf(node: ScalarNode): Scalar {
  if (node.value instanceof Uint8Array) return new TextDecoder().decode(node.value)
  const text = String(node.value ?? "")
  if (node.tag !== undefined) return taggedScalar(node.tag, text)
  return node.type === "PLAIN" ? plainScalar(text) : text
}

function jsonScalar(value: Scalar): Scalar {
  if (typeof value !== "number" || Number.isFinite(value)) return value
  throw new YamlFault(`json: unsupported value: ${Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"}`)
}

function keyText(key: Scalar): string {
  return typeof key === "string" ? JSON.stringify(key) : String(key ?? "<nil>")
}
