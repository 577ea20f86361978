import { isNotFound } from "@pilothouse/api"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** Pods of the namespace default are refused until a controller has made its account. */
export async function untilAccountIsThere(client: Client, wait: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await client.get(serviceAccounts, "default/default")
      return
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    await wait()
  }
}
