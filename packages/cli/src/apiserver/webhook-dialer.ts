import type { ServerDialer } from "@pilothouse/runtime"
import { type Clock, lazy } from "@pilothouse/seams"

/** Returns a dialer that is loaded with the first request: most servers never call a webhook. */
export function webhookDialer(clock: Clock): ServerDialer {
  let loaded: Promise<ServerDialer> | undefined
  const dialer = lazy(() => (loaded = import("./outgoing-connections.ts").then(({ serverDialer }) => serverDialer({ clock }))))
  return {
    dial: (to) => async (request) => (await dialer()).dial(to)(request),
    [Symbol.asyncDispose]: async () => void (await (await loaded)?.[Symbol.asyncDispose]()),
  }
}
