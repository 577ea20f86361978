import { deepEqual, type Schema } from "@pilothouse/api"
import { elementText } from "../fieldpath/field-path.ts"
import { fieldElement } from "../fieldpath/path-element.ts"
import { formOf, isJsonMap, type JsonMap, ownField, setField } from "./json-value.ts"
import { duplicateTokens, itemTokens } from "./list-items.ts"
import type { Token } from "./set-prefixes.ts"
import { deducedType, ListType, MapType, type Type, typeOf } from "./type.ts"

/**
 * An object with a configuration merged into it: the configuration's value wins at every leaf, and nothing is removed. Items of keyed lists and sets that
 * only one side has keep their places; those of the configuration come in its order. Parts that do not change are shared with the object, and it is
 * returned itself when none does.
 */
export function mergeValues(live: unknown, config: unknown, schema: Schema): unknown {
  return merged(typeOf(schema), live, config)
}

function merged(type: Type, live: unknown, config: unknown): unknown {
  if (config === undefined || live === config) return live
  if (live === undefined) return config
  const form = formOf(type, config)
  if (form instanceof MapType && !form.isAtomic && isJsonMap(live) && isJsonMap(config)) return mergedMaps(form, live, config)
  if (form instanceof ListType && !form.isAtomic && Array.isArray(live) && Array.isArray(config)) return mergedLists(form, live, config)
  return mergedLeaf(type, live, config)
}

/** Null in a configuration says nothing about what a container has, but for one that is empty too. */
function mergedLeaf(type: Type, live: unknown, config: unknown): unknown {
  if (config === null && isFilled(type, live)) return live
  return deepEqual(live, config) ? live : config
}

function isFilled(type: Type, value: unknown): boolean {
  if (Array.isArray(value)) return type.list?.isAtomic === false && value.length > 0
  return isJsonMap(value) && type.map?.isAtomic === false && Object.keys(value).length > 0
}

function mergedMaps(type: MapType, live: JsonMap, config: JsonMap): JsonMap {
  let result: Record<string, unknown> | undefined
  for (const key of Object.keys(config)) {
    const before = ownField(live, key)
    const value = merged(type.at(key) ?? deducedType, before, config[key])
    if (value === before) continue
    result ??= { ...live }
    setField(result, key, value)
  }
  return result ?? live
}

interface Item {
  readonly token: Token
  readonly value: unknown
}

/** Item by item, as upstream does: see the comments on the cases of `placeNext`. */
function mergedLists(type: ListType, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  if (config.length === 0) return live
  const [lives, configs] = [itemTokens(type, live), itemTokens(type, config)]
  if (isSameOrder(lives, configs)) return mergedInOrder(type, live, config)
  const merge = new ListMerge(type, itemsOf(live, lives), itemsOf(config, configs))
  while (!merge.isDone) merge.placeNext()
  return merge.result.length === live.length && merge.result.every((item, at) => item === live[at]) ? live : merge.result
}

/** Whether both lists have the same items, each once, in one order: nearly always. */
function isSameOrder(lives: readonly Token[], configs: readonly Token[]): boolean {
  if (lives.length !== configs.length) return false
  for (let at = 0; at < lives.length; at++) if (lives[at] !== configs[at]) return false
  return duplicateTokens(lives) === undefined
}

function mergedInOrder({ items }: ListType, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  let result: unknown[] | undefined
  for (let at = 0; at < live.length; at++) {
    const value = merged(items, live[at], config[at])
    if (value !== live[at]) (result ??= [...live])[at] = value
  }
  return result ?? live
}

function itemsOf(values: readonly unknown[], tokens: readonly Token[]): readonly Item[] {
  return values.map((value, at) => ({ token: tokens[at], value }))
}

/** Two positions move through the two lists; what is before them is in `result`. */
class ListMerge {
  readonly result: unknown[] = []
  readonly #type: ListType
  readonly #lives: readonly Item[]
  readonly #configs: readonly Item[]
  /** By token; null where there are several, which are not merged but replaced. */
  readonly #liveOf = new Map<Token, unknown>()
  readonly #configOf: ReadonlyMap<Token, unknown>
  /** Those of the configuration that have been placed. */
  readonly #placed = new Set<Token>()
  /** The items that both have, in the order of the configuration; `#shared` is the position of the next one that is to be placed. */
  readonly #sharedOrder: readonly Token[]
  #shared = 0
  #live = 0
  #config = 0

  constructor(type: ListType, lives: readonly Item[], configs: readonly Item[]) {
    this.#type = type
    this.#lives = lives
    this.#configs = configs
    for (const { token, value } of this.#lives) this.#liveOf.set(token, this.#liveOf.has(token) ? null : value)
    this.#configOf = new Map(this.#configs.map(({ token, value }) => [token, value]))
    this.#sharedOrder = this.#configs.map(({ token }) => token).filter((token) => this.#liveOf.has(token))
  }

  get isDone(): boolean {
    return this.#live >= this.#lives.length && this.#config >= this.#configs.length
  }

  placeNext(): void {
    const [live, config] = [this.#lives[this.#live], this.#configs[this.#config]]
    if (live !== undefined && config !== undefined) {
      if (live.token === config.token) {
        this.#place(live.token)
        this.#live++
        this.#config++
        this.#shared++
        return
      }
      // An item that both have, but another one comes first: it is placed when its turn comes.
      const next = this.#sharedOrder[this.#shared]
      if (this.#configOf.has(live.token) && next !== undefined && next !== live.token) {
        this.#live++
        return
      }
    }
    if (live !== undefined) {
      if (!this.#configOf.has(live.token)) {
        this.result.push(live.value)
        this.#live++
        return
      }
      if (this.#placed.has(live.token)) this.#live++
    }
    if (config !== undefined) {
      this.#place(config.token)
      this.#config++
      if (this.#sharedOrder[this.#shared] === config.token) this.#shared++
    }
  }

  #place(token: Token): void {
    this.#placed.add(token)
    this.result.push(merged(this.#type.items, this.#liveOf.get(token), this.#configOf.get(token)))
  }
}

/** Returns the paths of the atomic lists, maps and objects in a value, as messages have them: `.spec.template.spec.tolerations`. */
export function atomicParts(value: unknown, schema: Schema): readonly string[] {
  return partsBelow(typeOf(schema), value, "")
}

/** Values of keys that no field names are not looked at, as upstream has it. */
function partsBelow(type: Type, value: unknown, path: string): readonly string[] {
  const form = formOf(type, value)
  if (form instanceof MapType && isJsonMap(value)) {
    const below = Object.entries(value).flatMap(([key, part]) => {
      const named = form.named(key)
      return named === undefined ? [] : partsBelow(named, part, `${path}${elementText(fieldElement(key))}`)
    })
    return [...(form.isAtomic ? [path] : []), ...below]
  }
  if (form instanceof ListType && Array.isArray(value)) {
    const below = value.flatMap((item, index) => partsBelow(form.items, item, `${path}[${index}]`))
    return [...(form.isAtomic ? [path] : []), ...below]
  }
  return []
}
