import { type Descriptor, isNotFound, isUnknownResource, StatusError } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { closest } from "@pilothouse/seams"

export interface Named {
  readonly of: Descriptor
  readonly name: string
  readonly namespace: string | undefined
  /** Names that were asked for beside it: a user who wrote one of them did not mean it here too. */
  readonly others?: readonly string[]
}

/** The answer; where the object is not there, the server's words and the name that was probably meant. */
export async function orNearest<T>(client: Client, named: Named, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw await withNearest(client, named, error)
  }
}

/** `deployments.apps "webb" not found; did you mean "web"?` Any other failure is as it was. */
export async function withNearest(client: Client, named: Named, error: unknown): Promise<unknown> {
  if (!(error instanceof StatusError) || !isNotFound(error) || isUnknownResource(error)) return error
  const near = closest(named.name, await namesThere(client, named))
  return near === undefined ? error : new StatusError({ ...error.status, message: `${error.message}; did you mean "${near}"?` })
}

async function namesThere(client: Client, { of, namespace, others = [] }: Named): Promise<readonly string[]> {
  try {
    const { items } = await client.list(of, { namespace, metadataOnly: true, skipManagedFields: true })
    return items.map(({ metadata }) => metadata.name ?? "").filter((name) => !others.includes(name))
  } catch {
    // A user with the right to get an object may lack the right to list: what the server said is enough.
    return []
  }
}
