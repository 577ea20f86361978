import { stringifyJson } from "@pilothouse/seams"
import { deepEqual } from "../meta/deep-equal.ts"
import { isList, isObject } from "./values/json-value.ts"
import { refusePrototype } from "./values/object-draft.ts"
import { PatchError } from "./values/patch-error.ts"

export type Token = string
type Container = Record<string, unknown> | unknown[]

/** kube-apiserver's, in bytes of JSON: each copy may double the document, and 22 of them made four million fields of one. */
export const maxCopiedBytes = 3 * 1024 * 1024

/** Elements of lists that all operations together may shift: about a tenth of a second. 10,000 insertions at 0 of a list of 200,000 shift 2 billion. */
const maxShiftedElements = 100_000_000

/**
 * A JSON document that changes by the operations of a JSON patch while its origin stays as it was.
 * Between calls: a container in `#owned` was made here and is reachable by one path only, so it may be written in place. 10,000 operations
 * on one list therefore copy it once, and a "copy" makes containers of its value's size be copied again, no others. `#copiedBytes` is the size of
 * all that was copied, and so limits that too.
 */
export class PatchedDocument {
  root: unknown
  readonly #owned = new Set<object>()
  /** kube-apiserver's leniency: see JsonPatchOptions.strict. */
  readonly #lenient: boolean
  #copiedBytes = 0
  /** Elements that insertions and removals have shifted by one place. */
  #shifted = 0

  constructor(root: unknown, lenient: boolean) {
    this.root = root
    this.#lenient = lenient
  }

  add(path: readonly Token[], value: unknown): void {
    const token = path.at(-1)
    if (token === undefined) {
      if (this.#lenient) throw wholeDocument()
      this.root = value
      return
    }
    const parent = this.#parent(path)
    if (isObject(parent)) return this.#set(path, token, value)
    const index = token === "-" ? parent.length : this.#index(token, parent.length + 1)
    this.#countShift(parent.length - index)
    ;(this.#writable(path) as unknown[]).splice(index, 0, value)
  }

  replace(path: readonly Token[], value: unknown): void {
    const token = path.at(-1)
    if (token === undefined) {
      if (this.#lenient && !isObject(value) && !isList(value)) throw new PatchError(422, "the whole document must be an object or list")
      this.root = deepEqual(this.root, value) ? this.root : value
      return
    }
    const parent = this.#parent(path)
    if (isList(parent)) return this.#set(path, String(this.#index(token, parent.length)), value)
    if (!this.#lenient && !Object.hasOwn(parent, token)) throw missingKey("replace", token)
    this.#set(path, token, value)
  }

  remove(path: readonly Token[]): void {
    const token = path.at(-1)
    if (token === undefined) throw new PatchError(422, "the whole document cannot be removed")
    const parent = this.#parent(path)
    if (isList(parent)) {
      const index = this.#index(token, parent.length)
      this.#countShift(parent.length - index)
      ;(this.#writable(path) as unknown[]).splice(index, 1)
      return
    }
    if (!Object.hasOwn(parent, token)) throw missingKey("remove", token)
    delete (this.#writable(path) as Record<string, unknown>)[token]
  }

  move(from: readonly Token[], path: readonly Token[]): void {
    if (this.#lenient && from.length === 0) throw wholeDocument()
    const value = this.#get(from, false)
    if (from.length === path.length && from.every((token, index) => token === path[index])) return
    this.remove(from)
    this.add(path, value)
  }

  copy(from: readonly Token[], path: readonly Token[]): void {
    if (this.#lenient && from.length === 0) throw wholeDocument()
    const value = this.#get(from, this.#lenient)
    this.#countCopy(value)
    this.#disown(value)
    this.add(path, value)
  }

  /** A copied value is reachable by two paths from now on: nothing in it may be written in place any more. What is around it may. */
  #disown(value: unknown): void {
    // A container that is not owned has none inside that is: #writable begins at the root.
    if (typeof value !== "object" || value === null || !this.#owned.delete(value)) return
    for (const member of Object.values(value)) this.#disown(member)
  }

  #countCopy(value: unknown): void {
    this.#copiedBytes += new TextEncoder().encode(stringifyJson(value)).length
    if (this.#copiedBytes <= maxCopiedBytes) return
    const found = `the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${maxCopiedBytes}`
    throw new PatchError(422, `Unable to complete the copy, ${found}`)
  }

  #countShift(elements: number): void {
    this.#shifted += elements
    if (this.#shifted <= maxShiftedElements) return
    const found = `the patch shifts more than ${maxShiftedElements} elements of lists`
    throw new PatchError(413, `Unable to complete the patch, ${found}; replace the list as a whole`)
  }

  /** The value a "test" compares; null stands for an object key that is not there where that is let through. */
  tested(path: readonly Token[]): unknown {
    return this.#get(path, this.#lenient)
  }

  #get(path: readonly Token[], missingIsNull: boolean): unknown {
    const token = path.at(-1)
    if (token === undefined) return this.root
    const parent = this.#parent(path)
    if (isList(parent)) return parent[this.#index(token, parent.length)]
    if (Object.hasOwn(parent, token)) return parent[token]
    if (missingIsNull) return null
    throw missingKey("find", token)
  }

  #set(path: readonly Token[], key: string, value: unknown): void {
    refusePrototype(key)
    const parent = this.#parent(path) as Record<string, unknown>
    if (Object.hasOwn(parent, key) && deepEqual(parent[key], value)) return
    ;(this.#writable(path) as Record<string, unknown>)[key] = value
  }

  /** The container that the last token of a path stands in. */
  #parent(path: readonly Token[]): Container {
    let here: unknown = this.root
    for (const token of path.slice(0, -1)) {
      if (isList(here)) here = here[this.#index(token, here.length)]
      else here = isObject(here) && Object.hasOwn(here, token) ? here[token] : undefined
    }
    if (isList(here) || isObject(here)) return here as Container
    throw new PatchError(422, "doc is missing path: there is no object or list to hold the last part of it")
  }

  /** The same container, with every container on the way to it made this document's own. */
  #writable(path: readonly Token[]): Container {
    let here = this.#own(this.root as Container)
    this.root = here
    for (const token of path.slice(0, -1)) {
      const key = isList(here) ? this.#index(token, here.length) : token
      const child = this.#own((here as Record<string | number, unknown>)[key] as Container)
      ;(here as Record<string | number, unknown>)[key] = child
      here = child
    }
    return here
  }

  #own(container: Container): Container {
    if (this.#owned.has(container)) return container
    const copy = isList(container) ? [...container] : { ...container }
    this.#owned.add(copy)
    return copy
  }

  #index(token: Token, length: number): number {
    const pattern = this.#lenient ? /^[-+]?\d+$/ : /^(0|[1-9]\d*)$/
    if (!pattern.test(token)) throw new PatchError(422, `value was not a proper array index: '${token}'`)
    const index = Number(token) < 0 ? length + Number(token) : Number(token)
    if (index >= 0 && index < length) return index
    throw new PatchError(422, `Unable to access invalid index: ${token}`)
  }
}

function wholeDocument(): PatchError {
  return new PatchError(422, 'doc is missing path: "" names the whole document, which only "replace" and "test" may do')
}

function missingKey(verb: string, key: string): PatchError {
  return new PatchError(422, `Unable to ${verb} nonexistent key: ${key}: missing value`)
}
