import { messageOf, PilothouseError } from "@pilothouse/seams"

/**
 * Rolls back what was created when the rest of it failed, and throws the error. Where the rollback fails too, it is no clear refusal any more:
 * it is unknown what is left, and the caller has to search before it creates again.
 */
export async function rollBack(error: unknown, remove: () => Promise<void>): Promise<never> {
  try {
    await remove()
  } catch (left) {
    const message = `${messageOf(error)}; what was made of it could not be removed: ${messageOf(left)}`
    throw new PilothouseError("CLOUD", message, { cause: error, retryable: true })
  }
  throw error
}
