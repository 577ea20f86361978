import { badRequest, expired, StatusError } from "@pilothouse/api"
import { PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { listPrefix } from "../registry/object-key.ts"
import { type ListOptions, listOptionsOf } from "../request/list-options.ts"
import { mapInSlices, type Pause } from "../request/turns.ts"
import { type List, listResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import type { Page, Revision, Stored } from "../storage/storage.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts"
import { type Selection, selectionOf } from "./selection.ts"

export async function list(call: Call): Promise<TransportResponse> {
  return listResponse(call, await readList(call))
}

/** Reads one page of a collection, at the revision that the options or the continue token name. */
export async function readList(call: Call): Promise<List> {
  const options = listOptionsOf(call.query, false)
  const selection = selectionOf(call)
  const prefix = listPrefix(call.resource, call.namespace)
  const token = options.continue === "" ? undefined : continued(options, prefix)
  const at = token ? token.revision : await startRevision(call, options)
  // A version of 0 means "whatever you have in your cache", and a cache does not page.
  const limit = options.resourceVersion === 0 || options.limit <= 0 ? Number.POSITIVE_INFINITY : options.limit
  const page = readPage(call, { prefix, at, token, limit }, selection)
  return listOf(call, page, prefix, selection)
}

function continued(options: ListOptions, prefix: string): ContinueToken {
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest("specifying resource version is not allowed when using continue")
  }
  return decodeContinue(options.continue, prefix)
}

/** The revision to show exactly, or -1 for the newest. */
async function startRevision(call: Call, { resourceVersion = 0, match, limit }: ListOptions): Promise<Revision> {
  await waitForRevision(call, resourceVersion)
  const exact = match === "Exact" || (match === undefined && limit > 0 && resourceVersion > 0)
  return exact ? resourceVersion : -1
}

interface Asked {
  readonly prefix: string
  readonly at: Revision
  readonly token: ContinueToken | undefined
  readonly limit: number
}

function readPage({ server, resource, namespace }: Call, { prefix, at, token, limit }: Asked, selection: Selection): Page {
  const when = at < 0 ? {} : { at }
  try {
    const one = selection.name !== undefined && at < 0 && (namespace !== undefined || !resource.descriptor.namespaced)
    if (one) return single(server.storage.get(`${prefix}${selection.name}`), server.storage.revision)
    return server.storage.list(prefix, { ...when, after: token?.after, limit: selection.all ? limit : undefined })
  } catch (error) {
    if (error instanceof PilothouseError && error.code === "COMPACTED") throw tooOld(token, prefix)
    throw error
  }
}

function single(stored: Stored | undefined, revision: Revision): Page {
  return { items: stored === undefined ? [] : [stored], revision, remaining: 0 }
}

const inconsistent =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."

function tooOld(token: ContinueToken | undefined, prefix: string): StatusError {
  if (token === undefined) return expired("The resourceVersion for the provided list is too old.")
  const { status } = expired(inconsistent)
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ ...token, revision: -1 }, prefix) } })
}

async function listOf(call: Call, page: Page, prefix: string, selection: Selection): Promise<List> {
  const { listKind, apiVersion, stored, conversion } = call.resource
  const pause = call.server.turns.begin(call.signal)
  const { kept, more } = await selected(call, page, selection, pause)
  const resourceVersion = String(page.revision)
  const last = kept.at(-1)
  const metadata =
    more === 0 || last === undefined
      ? { resourceVersion }
      : {
          resourceVersion,
          continue: encodeContinue({ revision: page.revision, after: last.key }, prefix),
          ...(selection.all && { remainingItemCount: more }),
        }
  const converted = conversion?.decodeOnce(kept.map(({ value }) => value))
  const items = converted === undefined ? await mapInSlices(kept, pause, ({ value }) => stored.decode(value)) : await converted
  return { kind: listKind, apiVersion, metadata, items }
}

/** With selectors the store cannot count: the page is cut here. */
async function selected(
  call: Call,
  page: Page,
  selection: Selection,
  pause: Pause,
): Promise<{ readonly kept: readonly Stored[]; readonly more: number }> {
  if (selection.all) return { kept: page.items, more: page.remaining }
  const { decode } = call.resource.stored
  // Selectors are of the version of the request: from here on all of the page is at hand.
  await call.resource.conversion?.decodeOnce(page.items.map(({ value }) => value))
  const matches = await mapInSlices(page.items, pause, ({ value }) => selection.matches(decode(value)))
  const matching = page.items.filter((_, index) => matches[index])
  const { limit, resourceVersion } = listOptionsOf(call.query, false)
  if (limit <= 0 || resourceVersion === 0 || matching.length <= limit) return { kept: matching, more: 0 }
  return { kept: matching.slice(0, limit), more: matching.length - limit }
}
