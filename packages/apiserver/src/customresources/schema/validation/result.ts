import type { FieldError } from "@pilothouse/api"

/**
 * What was found in a value. `matches` counts the checks that a value went through: of alternatives that all fail, the errors of the one with most matches
 * are shown. Each error is there once, by the sentence that names it.
 */
export class Result {
  matches = 0
  #errors: Map<string, FieldError> | undefined

  get isValid(): boolean {
    return this.#errors === undefined
  }

  get errors(): readonly FieldError[] {
    return [...(this.#errors?.values() ?? [])]
  }

  /** Adds an error under its sentence, the first one of each. */
  add(sentence: string, error: FieldError): void {
    this.#errors ??= new Map()
    if (!this.#errors.has(sentence)) this.#errors.set(sentence, error)
  }

  /** Adds the errors and matches of another result. */
  merge(other: Result): void {
    this.matches += other.matches
    if (other.#errors !== undefined) for (const [sentence, error] of other.#errors) this.add(sentence, error)
  }
}

/** Stands before a key of the root that no property declares. */
const rootKey = -1

/** One validation of one object: where it is, and what it has found so far. */
export class Validation {
  result = new Result()
  /** What stands before the paths of fields: "status" where only the status is validated. */
  readonly #prefix: string
  readonly #path: (string | number)[] = []

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

  /** What a function finds, apart from what was found before. */
  apart(find: () => void): Result {
    const outer = this.result
    this.result = new Result()
    find()
    const inner = this.result
    this.result = outer
    return inner
  }

  /** Adds an error that the words of `make` describe, at the path where the validation is or at another one. */
  report(path: string, sentence: string, make: (field: string) => FieldError): void {
    this.result.add(sentence, make(this.#field(path)))
  }

  /** Adds an error of the value as a whole, which upstream gives no place. */
  reportWithoutPlace(sentence: string, make: (field: string) => FieldError): void {
    this.result.add(sentence, make(this.#prefix === "" ? "<nil>" : this.#prefix))
  }

  #field(path: string): string {
    const name = path.startsWith(".") ? path.slice(1) : path
    if (this.#prefix === "") return name === "" ? "<nil>" : name
    return name === "" ? this.#prefix : `${this.#prefix}.${name}`
  }
}
