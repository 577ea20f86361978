import type { FieldError } from "@pilothouse/api"

/** No refusal that is read is a tenth as long; a schema of 1 MB could otherwise be answered with gigabytes. */
const maxCharacters = 2_000_000

/**
 * The field errors of one definition, in the order of upstream. Between calls: their texts together are at most one error longer than
 * `maxCharacters`; what is added later is dropped, and a walk may stop once the list is full.
 */
export class ErrorList {
  readonly #errors: FieldError[] = []
  #characters = 0

  get isFull(): boolean {
    return this.#characters > maxCharacters
  }

  get length(): number {
    return this.#errors.length
  }

  get all(): readonly FieldError[] {
    return this.#errors
  }

  add(...errors: readonly FieldError[]): void {
    for (const error of errors) {
      if (this.isFull) return
      this.#errors.push(error)
      this.#characters += error.field.length + error.message.length
    }
  }
}
