import { PilothouseError } from "@pilothouse/seams"
import { goFormat, goType } from "../patch/values/go-format.ts"
import { isList, isObject } from "../patch/values/json-value.ts"
import { ownValue } from "../text/own-value.ts"
import { compare, type Operand } from "./compare.ts"
import type { FilterNode, IdentifierNode, PathNode, SliceNode, Step, TemplatePart } from "./path-node.ts"

/** Options of the evaluation of a JSONPath. */
export interface FindOptions {
  /** Whether a field that is nowhere gives nothing instead of an error. */
  readonly allowMissingKeys?: boolean
  /** A million by default. */
  readonly visits?: Visits
}

/** How many values may still be visited, by all evaluations that share it: ".." after ".." visits most of them many times. */
export interface Visits {
  left: number
}

/** What a step found before it failed: a filter that only asks whether something exists takes it for an answer, as client-go does. */
class StepError extends PilothouseError {
  readonly found: readonly unknown[]

  constructor(message: string, found: readonly unknown[]) {
    super("INVALID", message)
    this.found = found
  }
}

/** Ranges stand in each other; without an end, each is run again by the one before it. */
const maxRanges = 100

/**
 * Returns what each part of a template finds in a value, in the order of the template; a part in a range has a result per item of the range.
 * Undefined stands for a null that a range is at.
 */
export function findResults(parts: readonly TemplatePart[], value: unknown, options: FindOptions = {}): readonly (readonly unknown[])[] {
  return new Evaluation(parts, options).run(0, value)
}

/** One evaluation of a template. Between steps, `#depth` is the number of ranges that enclose the current part. */
class Evaluation {
  readonly #parts: readonly TemplatePart[]
  readonly #allowMissingKeys: boolean
  readonly #visits: Visits
  #depth = 0
  /** Ranges that the current part has opened, and ends that were met and not acted on. */
  #begun = 0
  #ended = 0
  #lastEnd = -1

  constructor(parts: readonly TemplatePart[], { allowMissingKeys = false, visits = { left: 1_000_000 } }: FindOptions) {
    this.#parts = parts
    this.#allowMissingKeys = allowMissingKeys
    this.#visits = visits
  }

  /** Runs from a part to the end of the innermost range, or of the template. */
  run(first: number, value: unknown): readonly (readonly unknown[])[] {
    const found: (readonly unknown[])[] = []
    for (let index = first; index < this.#parts.length; index++) {
      const results = this.#part(this.#parts[index]!, value)
      if (this.#ended > 0 && this.#ended <= this.#depth) {
        this.#ended--
        this.#lastEnd = index
        return found
      }
      if (this.#begun === 0) found.push(results)
      else {
        found.push(...this.#range(index + 1, results))
        // Goes on after the end of the range; one without an end has been run for its items, and is run for the value around it.
        if (this.#lastEnd > index) index = this.#lastEnd
      }
    }
    return found
  }

  #range(first: number, items: readonly unknown[]): (readonly unknown[])[] {
    this.#begun--
    this.#depth++
    if (this.#depth > maxRanges) throw new StepError(`expected at most ${maxRanges} ranges in each other, found more; end each one`, [])
    const found = items.flatMap((item) => this.run(first, item ?? undefined))
    // Without items, one run finds the end.
    if (items.length === 0) this.run(first, undefined)
    this.#depth--
    return found
  }

  #part(part: TemplatePart, value: unknown): readonly unknown[] {
    this.#visit(1)
    return part.type === "text" ? [part.text] : this.#path(part, [value])
  }

  #path({ steps }: PathNode, input: readonly unknown[]): readonly unknown[] {
    return steps.reduce((values, step) => this.#step(step, values), input)
  }

  #visit(values: number): void {
    this.#visits.left -= values
    if (this.#visits.left < 0)
      throw new StepError("expected a path that visits fewer values, found one that visits too many; be more specific", [])
  }

  #step(step: Step, input: readonly unknown[]): readonly unknown[] {
    this.#visit(input.length + 1)
    switch (step.type) {
      case "text":
        return [step.text]
      case "literal":
        return input.map(() => step.value)
      case "field":
        return this.#field(step.name, input)
      case "slice":
        return slice(step, input)
      case "filter":
        return input.flatMap((value) => this.#filter(step, value, input))
      case "wildcard":
        return input.flatMap((value) => this.#children(value))
      case "recursive":
        return this.#descendants(input)
      case "union":
        return step.paths.flatMap((path) => this.#path(path, input))
      case "identifier":
        return this.#identifier(step, input)
    }
  }

  #field(name: string, input: readonly unknown[]): readonly unknown[] {
    const found = input.flatMap((value) => {
      const child = isObject(value) ? ownValue(value, name) : undefined
      return child === undefined ? [] : [child]
    })
    if (found.length === 0 && input.length > 0 && !this.#allowMissingKeys) throw new StepError(`${name} is not found`, [])
    return found
  }

  #children(value: unknown): readonly unknown[] {
    const children = childrenOf(value)
    this.#visit(children.length)
    return children
  }

  /** Every value that holds others or is a text with something in it, each before what it holds. A stack, not recursion: objects are deep. */
  #descendants(input: readonly unknown[]): readonly unknown[] {
    const found: unknown[] = []
    const open = input.toReversed()
    while (open.length > 0) {
      const value = open.pop()
      const children = typeof value === "string" ? [] : this.#children(value)
      if (children.length > 0 || (typeof value === "string" && value !== "")) found.push(value)
      for (let index = children.length - 1; index >= 0; index--) open.push(children[index])
    }
    return found
  }

  #filter(node: FilterNode, value: unknown, input: readonly unknown[]): readonly unknown[] {
    if (isList(value)) return value.filter((item) => this.#matches(node, item, input))
    const shown = value === undefined ? "<invalid reflect.Value>" : goFormat(value)
    throw new StepError(`${shown} is not array or slice and cannot be filtered`, input)
  }

  #matches({ left, operator, right }: FilterNode, item: unknown, input: readonly unknown[]): boolean {
    if (operator === "exists") return this.#exists(left, item)
    const first = this.#operand(left, item, input)
    const second = first && this.#operand(right, item, input)
    return first !== undefined && second !== undefined && compare(operator, first, second)
  }

  #exists(path: PathNode, item: unknown): boolean {
    try {
      return this.#path(path, [item]).length > 0
    } catch (error) {
      if (error instanceof StepError && this.#visits.left >= 0) return error.found.length > 0
      throw error
    }
  }

  /** Undefined where the path finds nothing: then the item does not match. */
  #operand(path: PathNode, item: unknown, input: readonly unknown[]): Operand | undefined {
    const found = this.#path(path, [item])
    if (found.length > 1) throw new StepError("can only compare one element at a time", input)
    const last = path.steps.at(-1)
    return found.length === 0 ? undefined : { value: found[0], float: last?.type === "literal" && last.float }
  }

  #identifier({ name }: IdentifierNode, input: readonly unknown[]): readonly unknown[] {
    if (name === "range") {
      this.#begun++
      return input
    }
    if (name !== "end") throw new StepError(`unrecognized identifier ${name}`, input)
    if (this.#depth === 0) throw new StepError("not in range, nothing to end", [])
    this.#ended++
    return []
  }
}

/** What a value holds: of a text, its bytes. */
function childrenOf(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [...Buffer.from(value)]
  if (isList(value)) return value
  return isObject(value) ? Object.values(value) : []
}

function slice(node: SliceNode, input: readonly unknown[]): readonly unknown[] {
  const found: unknown[] = []
  for (const value of input) {
    if (value === null || value === undefined) continue
    if (!isList(value)) throw new StepError(`${goType(value)} is not array or slice`, input)
    const [start, end] = boundsOf(node, value.length)
    // As upstream, an empty slice ends the search.
    if (start === end) return found
    checkBounds(start, end, value.length, input)
    const { step = 1 } = node
    if (step <= 0) throw new StepError("step must be > 0", input)
    for (let index = start; index < end; index += step) found.push(value[index])
  }
  return found
}

/** Indexes below zero count from the end: of four items, [-1] is [3:4] and [0:-1] is [0:3]. */
function boundsOf({ start = 0, end, single }: SliceNode, length: number): readonly [start: number, end: number] {
  const last = end ?? length
  return [start < 0 ? start + length : start, last < 0 || (last === 0 && single) ? last + length : last]
}

function checkBounds(start: number, end: number, length: number, input: readonly unknown[]): void {
  const beyond = (index: number) => new StepError(`array index out of bounds: index ${index}, length ${length}`, input)
  if (start >= length || start < 0) throw beyond(start)
  if (end > length || end < 0) throw beyond(end - 1)
  if (start > end) throw new StepError(`starting index ${start} is greater than ending index ${end}`, input)
}
