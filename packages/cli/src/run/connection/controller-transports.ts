import { accountOf } from "@pilothouse/controllers"
import { createClient } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import type { OwnSettings } from "../flags/flags.ts"
import type { RunSeams } from "../flags/run-options.ts"
import { serviceAccountCredentials } from "./service-account-credentials.ts"
import { type ClusterChoice, type FreshConnection, type SwappableTransport, swappableTransport } from "./swappable-transport.ts"

/** Where the accounts of controllers live, as upstream. */
const namespace = "kube-system"

/** What each controller asks through. Disposing closes what it has opened. */
export interface ControllerTransports extends AsyncDisposable {
  for(controller: string): Transport
  /** Throws where one of them cannot be read; then all stay what they are. */
  prepare(choice: ClusterChoice): Promise<FreshConnection>
}

/**
 * With --use-service-account-credentials one connection for each account, opened with its first request; else the common one. A dry run has the common
 * one too: to ask for a token, and to make the account where it is missing, is to write.
 */
export function controllerTransports(
  own: OwnSettings,
  common: SwappableTransport,
  seams: RunSeams,
  connect = swappableTransport,
): ControllerTransports {
  const asAccounts = own["use-service-account-credentials"] && !own["dry-run"]
  let choice: ClusterChoice = own
  const opened = new Map<string, Promise<SwappableTransport>>()
  /** One that is opened while the others are prepared waits, and is made by what has come of that. */
  let decided = Promise.resolve()
  const open = (account: string): Promise<SwappableTransport> => {
    const client = createClient(common.transport, { userAgent: "pilothouse/token-requests" })
    const credentials = serviceAccountCredentials({ client, clock: seams.clock, namespace, account })
    const opening = decided.then(() => connect(choice, seams, credentials))
    opened.set(account, opening)
    // The caller gets the error; the next one tries again.
    opening.catch(() => opened.delete(account))
    return opening
  }
  return {
    for(controller) {
      const account = asAccounts ? accountOf(controller) : undefined
      if (account === undefined) return common.transport
      return async (request) => {
        const { transport } = await (opened.get(account) ?? open(account))
        return transport(request)
      }
    },
    async prepare(next) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const before = [...opened.values()]
      decided = promise
      const ends = await Promise.allSettled((await allOpen(before)).map((one) => one.prepare(next)))
      const fresh = new AsyncDisposableStack()
      const ready = ends.flatMap((end) => (end.status === "fulfilled" ? [fresh.use(end.value)] : []))
      fresh.defer(resolve)
      const failed = ends.find((end) => end.status === "rejected")
      if (failed !== undefined) {
        await fresh.disposeAsync()
        throw failed.reason
      }
      return {
        take() {
          choice = next
          for (const one of ready) one.take()
        },
        [Symbol.asyncDispose]: () => fresh.disposeAsync(),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const one of await allOpen(opened.values())) await one[Symbol.asyncDispose]()
    },
  }
}

/** Without those that could not be opened. */
async function allOpen(openings: Iterable<Promise<SwappableTransport>>): Promise<readonly SwappableTransport[]> {
  return (await Promise.allSettled(openings)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}
