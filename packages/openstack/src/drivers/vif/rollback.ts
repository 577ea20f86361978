import { messageOf, PilothouseError } from "@pilothouse/seams"

/**
 * Takes back what was made when the rest of it failed, and throws what went wrong. Where nothing can be taken back it is no clear refusal any more:
 * nobody knows what is left, and whoever asks again has to look first.
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
