import { isAlreadyExists, isNotFound, parseTime } from "@pilothouse/api"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import type { Client, Credentials } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"

export interface ServiceAccountCredentialsOptions {
  /** May make accounts and ask for their tokens. */
  readonly client: Client
  readonly clock: Clock
  readonly namespace: string
  readonly account: string
}

/** A token lives for an hour, as upstream's; a fifth before its end there is a new one. */
const lifetimeSeconds = 3600
const usedPart = 0.8
/** By a clock that is an hour ahead every token has ended when it comes: then there is a new one each minute, and not with each request. */
const minUse = 60_000

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
