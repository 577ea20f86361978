import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { ListDecoder } from "./list-decoder.ts"
import { typedMetadata } from "./metadata-only.ts"
import { notJson, type RequestInfo, responseObject, withType } from "./response.ts"
import { type FormList, type WireForm, withPlainBody } from "./wire-form.ts"

/** One page of a list, or the whole of it. */
export interface List<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  /** Present when there are more: pass it to the next list. */
  readonly continue?: string
  /** Number of remaining objects, where the server knows. */
  readonly remaining?: number
}

interface WireList {
  readonly kind: string
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number }
  readonly items?: readonly unknown[] | null
}

export interface ListReaderOptions<T extends KubeObject> {
  readonly metadataOnly?: boolean
  readonly skipManagedFields?: boolean
  readonly keep?: (object: T) => T | undefined
  readonly form?: WireForm
}

type ListRequest<T extends KubeObject> = RequestInfo & { readonly of: Descriptor<T> }

/** Reads the response to a list, incrementally where the transport supports it. */
export class ListReader<T extends KubeObject> {
  readonly #request: ListRequest<T>
  readonly #options: ListReaderOptions<T>
  #items: T[] = []
  #reading: ListDecoder | FormList | undefined

  constructor(request: ListRequest<T>, options: ListReaderOptions<T>) {
    this.#request = request
    this.#options = options
  }

  /** A retry begins with the first item again. */
  readonly reader = (contentType: string): ListDecoder | FormList | undefined => {
    const { form, skipManagedFields } = this.#options
    const each = (item: unknown) => this.#add(item)
    this.#items = []
    if (contentType.includes("json")) this.#reading = new ListDecoder({ skipManagedFields, each })
    else this.#reading = form !== undefined && contentType.startsWith(form.contentType) ? form.list(each) : undefined
    return this.#reading
  }

  listIn(response: TransportResponse): List<T> {
    const request = this.#request
    const list = this.#wireList(response)
    const { metadata, items } = list
    if (metadata === undefined || items === undefined) {
      throw new PilothouseError("PROTOCOL", `expected a list of ${resourceNameOf(request.of)}, found a ${list.kind}`)
    }
    // Go writes an empty list as null.
    for (const item of items ?? []) this.#add(item)
    return {
      items: this.#items,
      resourceVersion: metadata.resourceVersion ?? "",
      continue: metadata.continue || undefined,
      remaining: metadata.remainingItemCount,
    }
  }

  /** The list without the items that were read already. */
  #wireList(response: TransportResponse): WireList {
    const read = this.#read(response)
    if (read === undefined) return responseObject(withPlainBody(response, this.#options.form), this.#request) as WireList
    if (!(read instanceof ListDecoder)) return this.#inForm(read)
    const list = read.list()
    if (typeof list === "object") return list as WireList
    const rest = { type: "bytes", bytes: read.rest, contentType: response.headers["content-type"] ?? "" } as const
    if (list === "other") return responseObject({ ...response, body: rest }, this.#request) as WireList
    throw notJson(this.#request, Buffer.from(read.rest).toString())
  }

  #inForm(read: FormList): WireList {
    try {
      return read.list() as WireList
    } catch (cause) {
      const { contentType } = this.#options.form!
      throw new PilothouseError("PROTOCOL", `expected a list of ${resourceNameOf(this.#request.of)} in ${contentType}, found other bytes`, {
        cause,
      })
    }
  }

  #read({ status, body }: TransportResponse): ListDecoder | FormList | undefined {
    if (body.type === "value" && this.#reading !== undefined && body.value === this.#reading) return this.#reading
    if (status >= 400 || body.type !== "bytes") return undefined
    const reader = this.reader(body.contentType)
    reader?.push(body.bytes)
    return reader
  }

  #add(item: unknown): void {
    const { of } = this.#request
    const { metadataOnly, keep } = this.#options
    const typed = withType(of, metadataOnly ? typedMetadata(of, item as T) : (item as T))
    const kept = keep === undefined ? typed : keep(typed)
    if (kept !== undefined) this.#items.push(kept)
  }
}
