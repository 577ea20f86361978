import { type Descriptor, type KubeObject, pathOf } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import { objectPath, type Target, targetRef } from "./object-path.ts"
import { type List, ListReader } from "./wire/list-reader.ts"
import { metadataEvent, metadataHeaders } from "./wire/metadata-only.ts"
import type { GetOptions, ListAllOptions, ListOptions, WatchOptions } from "./wire/options.ts"
import { responseValue } from "./wire/response.ts"
import { queryOf, type Sender } from "./wire/sender.ts"
import { type WatchEvent, watchEvents } from "./wire/watch-stream.ts"
import { acceptList, acceptWatch, eventsInForm, withPlainBody } from "./wire/wire-form.ts"

export type { List } from "./wire/list-reader.ts"

/** The verbs of a client that change nothing. */
export interface ReadVerbs {
  get<T extends KubeObject>(of: Descriptor<T>, target: Target, options?: GetOptions): Promise<T>
  /** Returns one page, or all where there is no limit. */
  list<T extends KubeObject>(of: Descriptor<T>, options?: ListOptions<T>): Promise<List<T>>
  /** Iterates over all objects; the next page is requested when the last is consumed. `Array.fromAsync(client.listAll(pods))` is an array. */
  listAll<T extends KubeObject>(of: Descriptor<T>, options?: ListAllOptions<T>): AsyncIterable<T>
  /** Ending the iteration ends the watch. */
  watch<T extends KubeObject>(of: Descriptor<T>, options?: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>
}

/** client-go's page size. */
export const defaultPageSize = 500

/** Returns the reading verbs over a sender; a list is decoded while it arrives. */
export function readVerbs(sender: Sender): ReadVerbs {
  const list: ReadVerbs["list"] = async (of, { namespace, signal, metadataOnly, skipManagedFields, keep, form, ...selection } = {}) => {
    const headers = metadataOnly ? metadataHeaders("PartialObjectMetadataList") : form && acceptList(form)
    const request = { verb: "GET", path: pathOf(of, { namespace }), query: queryOf({ ...selection }), headers, signal, of } as const
    const answer = new ListReader(request, { metadataOnly, skipManagedFields, keep, form })
    return answer.listIn(await sender.send({ ...request, reader: answer.reader }))
  }

  async function* listAll<T extends KubeObject>(of: Descriptor<T>, options: ListAllOptions<T> = {}): AsyncGenerator<T> {
    let page = await list(of, { limit: defaultPageSize, ...options })
    yield* page.items
    while (page.continue !== undefined) {
      // The token carries the resourceVersion of the first page; servers refuse both together.
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options
      page = await list(of, { limit: defaultPageSize, ...rest, continue: page.continue })
      yield* page.items
    }
  }

  return {
    list,
    listAll,
    get: async (of, target, { subresource, resourceVersion, signal } = {}) =>
      sender.object({
        verb: "GET",
        path: objectPath(of, target, subresource),
        query: queryOf({ resourceVersion }),
        signal,
        of,
        name: targetRef(target).name,
      }),
    async watch<T extends KubeObject>(
      of: Descriptor<T>,
      { namespace, signal, metadataOnly, skipManagedFields, form, ...selection }: WatchOptions = {},
    ) {
      const request = {
        verb: "GET",
        path: pathOf(of, { namespace }),
        query: { watch: "true", ...queryOf({ ...selection }) },
        headers: metadataOnly ? metadataHeaders("PartialObjectMetadata") : form && acceptWatch(form),
        signal,
        of,
      } as const
      const response = await sender.send(request)
      if (response.body.type === "stream" && response.status < 400) {
        const { frames } = response.body
        const framed = eventsInForm<T>(response, form)
        if (framed !== undefined) return framed
        const each = metadataOnly ? (event: WatchEvent<T>) => metadataEvent(of, event) : undefined
        return watchEvents<T>(frames, { skipManagedFields, each })
      }
      responseValue(withPlainBody(response, form), { ...request, verb: "WATCH" })
      throw new PilothouseError("PROTOCOL", `expected a stream in the answer to WATCH ${request.path}, found a whole body`)
    },
  }
}
