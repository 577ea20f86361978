import { isAlreadyExists, isNotFound, parseTime } from "@pilothouse/api"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import { accountOf } from "@pilothouse/controllers"
import { type Client, type Credentials, createClient } from "@pilothouse/runtime"
import type { Clock, Transport } from "@pilothouse/seams"
import type { OwnSettings } from "../flags/flags.ts"
import type { RunSeams } from "../flags/run-options.ts"
import { type ClusterChoice, type FreshConnection, type SwappableTransport, swappableTransport } from "./swappable-transport.ts"

/** A token lives for an hour, as upstream's; a fifth before its end there is a new one. */
const lifetimeSeconds = 3600
const usedPart = 0.8
/** By a clock that is an hour ahead every token has ended when it comes: then there is a new one each minute, and not with each request. */
const minUse = 60_000

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

interface ServiceAccountCredentialsOptions {
  /** May make accounts and ask for their tokens. */
  readonly client: Client
  readonly clock: Clock
  readonly namespace: string
  readonly account: string
}

interface Token {
  readonly authorization: string
  /** By the clock's `elapsed`: from then on it is to be replaced. */
  readonly renewAt: number
}

/** Asks as a ServiceAccount, by tokens that the API server gives out for it. Makes the account where it is missing. */
export function serviceAccountCredentials(options: ServiceAccountCredentialsOptions): Credentials {
  const { clock } = options
  let current: Token | undefined
  // Controllers send many requests at once: one of them fetches the token for all.
  let fetching: Promise<Token> | undefined
  const fetch = (): Promise<Token> => {
    fetching ??= requested(options).finally(() => {
      fetching = undefined
    })
    return fetching
  }
  const token = async (): Promise<Token> => {
    if (current === undefined || clock.elapsed() >= current.renewAt) current = await fetch()
    return current
  }
  return {
    present: async () => ({ authorization: (await token()).authorization }),
    async refused({ authorization }) {
      if (current?.authorization === authorization) current = undefined
      return (await token()).authorization !== authorization
    },
  }
}

async function requested(options: ServiceAccountCredentialsOptions): Promise<Token> {
  const { client, clock, namespace, account } = options
  const key = `${namespace}/${account}`
  const ask = () => client.requestToken(key, { expirationSeconds: lifetimeSeconds })
  const { status } = await ask().catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    await make(options)
    return ask()
  })
  // A server may give less than was asked for.
  const lives = status?.expirationTimestamp === undefined ? lifetimeSeconds * 1000 : parseTime(status.expirationTimestamp) - clock.now()
  return { authorization: `Bearer ${status?.token ?? ""}`, renewAt: clock.elapsed() + Math.max(minUse, usedPart * lives) }
}

async function make({ client, namespace, account }: ServiceAccountCredentialsOptions): Promise<void> {
  try {
    await client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: account } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
