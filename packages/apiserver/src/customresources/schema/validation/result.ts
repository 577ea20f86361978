import type { FieldError } from "@pilothouse/api"

/**
 * What was found in a value. `matches` counts the checks that a value went through: of alternatives that all fail, the errors of the one with most matches
 * are shown. Each error is there once, by the sentence that names it. An invalid result without errors was found quietly.
 */
export class Result {
  matches = 0
  isValid = true
  #errors: Map<string, FieldError> | undefined

  get errors(): readonly FieldError[] {
    return [...(this.#errors?.values() ?? [])]
  }

  /** Adds an error under its sentence, the first one of each. */
  add(sentence: string, error: FieldError): void {
    this.isValid = false
    this.#errors ??= new Map()
    if (!this.#errors.has(sentence)) this.#errors.set(sentence, error)
  }

  /** Adds the errors and matches of another result. */
  merge(other: Result): void {
    this.matches += other.matches
    if (!other.isValid) this.isValid = false
    if (other.#errors !== undefined) for (const [sentence, error] of other.#errors) this.add(sentence, error)
  }
}

/** An error in words. */
export interface Described {
  /** The path of the field; undefined for an error that upstream gives no place. */
  readonly at: string | undefined
  /** Names the error: there is one of each. */
  readonly sentence: string
  readonly error: (field: string) => FieldError
}

/** Stands before a key of the root that no property declares. */
const rootKey = -1

/** One validation of one object: where it is, and what it has found so far. */
export class Validation {
  result = new Result()
  /** What stands before the paths of fields: "status" where only the status is validated. */
  readonly #prefix: string
  readonly #path: (string | number)[] = []
  #isQuiet = false

  constructor(prefix = "") {
    this.#prefix = prefix
  }

  get isAtRoot(): boolean {
    return this.#path.length === 0
  }

  enter(step: string | number): void {
    this.#path.push(step)
  }

  /** A key that no property declares: at the root its path begins with a dot. */
  enterKey(key: string): void {
    if (this.isAtRoot) this.#path.push(rootKey)
    this.#path.push(key)
  }

  leave(): void {
    this.#path.pop()
    if (this.#path.length === 1 && this.#path[0] === rootKey) this.#path.pop()
  }

  /** As upstream's validator has it: "spec.list[0].name". */
  get path(): string {
    let text = ""
    let isFirst = true
    for (const step of this.#path) {
      if (typeof step === "string") text += isFirst ? step : `.${step}`
      else if (step !== rootKey) text += `[${step}]`
      isFirst = false
    }
    return text
  }

  /** What a function finds, apart from what was found before. Quietly it is only whether something is wrong, without the words. */
  apart(find: () => void, isQuiet = this.#isQuiet): Result {
    const [outer, wasQuiet] = [this.result, this.#isQuiet]
    this.result = new Result()
    this.#isQuiet = isQuiet
    find()
    const inner = this.result
    this.result = outer
    this.#isQuiet = wasQuiet
    return inner
  }

  /** Adds an error; what describes it is called with the path where the validation is, and only where words are needed. */
  report(describe: (path: string) => Described): void {
    if (this.#isQuiet) {
      this.result.isValid = false
      return
    }
    const { at, sentence, error } = describe(this.path)
    this.result.add(sentence, error(at === undefined ? this.#prefix || "<nil>" : this.#field(at)))
  }

  #field(path: string): string {
    const name = path.startsWith(".") ? path.slice(1) : path
    if (this.#prefix === "") return name === "" ? "<nil>" : name
    return name === "" ? this.#prefix : `${this.#prefix}.${name}`
  }
}
