import type { Environment, Reader, VariableDeclaration } from "../environment/environment.ts"
import { coerceOrFail } from "../values/type-mismatch.ts"

/**
 * Returns how the value of a variable or a field is read: by its own reader if it has one, and then checked against its type, so that no overload
 * gets what it cannot compute with. Undefined where the value serves as it is.
 */
export function readerOf({ trustsValues }: Environment, declared: VariableDeclaration | undefined, place: string): Reader | undefined {
  if (!declared || trustsValues) return declared?.read
  const { type, read } = declared
  const coerce = coerceOrFail(type, place)
  return read ? (passed) => coerce(read(passed)) : coerce
}
