import { GrpcStream } from "./grpc-stream.ts"

export const endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
export const clusterType = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService"
const soon = 50

export interface AdsClientOptions {
  readonly port: number
  readonly id: string
  /** Names of assignments. */
  readonly names: readonly string[]
  readonly delta?: boolean
  /** Every cluster too. */
  readonly clusters?: boolean
}

/** A raw ADS client on a connection of its own: reads no more of a response than type and nonce, and accepts everything at once. */
export class AdsClient {
  readonly #options: AdsClientOptions
  #stream: GrpcStream
  #closed = false
  #waiting: ((length: number) => void) | undefined
  /** Of endpoints. */
  received = 0
  bytes = 0
  /** How often the server ended the stream. */
  refused = 0

  constructor(options: AdsClientOptions) {
    this.#options = options
    this.#stream = this.#open()
  }

  /** Called with the length of each response with endpoints until it says that this was the one. */
  next(is: (length: number) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = (length) => {
        if (!is(length)) return
        this.#waiting = undefined
        resolve()
      }
    })
  }

  close(): void {
    this.#closed = true
    this.#stream.close()
  }

  #open(): GrpcStream {
    const { port, delta = false, clusters = false, names } = this.#options
    const stream = new GrpcStream({
      port,
      path: `${service}/${delta ? "Delta" : "Stream"}AggregatedResources`,
      onMessage: (bytes) => this.#take(bytes),
      onEnd: () => this.#again(),
    })
    if (clusters) stream.send(this.#request(clusterType, [], "", true))
    stream.send(this.#request(endpointType, names, "", !clusters))
    return stream
  }

  /** A server with a limit of new streams refuses some of them for a while. */
  #again(): void {
    if (this.#closed) return
    this.refused++
    setTimeout(() => {
      if (!this.#closed) this.#stream = this.#open()
    }, soon)
  }

  #take(bytes: Buffer): void {
    const { type, nonce } = factsOf(bytes)
    const { delta = false, names } = this.#options
    const ofEndpoints = type === endpointType
    this.#stream.send(this.#request(type, ofEndpoints && !delta ? names : [], nonce, false))
    if (!ofEndpoints) return
    this.received++
    this.bytes += bytes.length
    this.#waiting?.(bytes.length)
  }

  #request(type: string, names: readonly string[], nonce: string, first: boolean): Buffer {
    const { delta = false, id } = this.#options
    return Buffer.concat([
      ...(first ? [field(delta ? 1 : 2, Buffer.concat([field(1, id), field(3, metadata("CLUSTER_ID", "Kubernetes"))]))] : []),
      field(delta ? 2 : 4, type),
      ...names.map((name) => field(3, name)),
      ...(nonce === "" ? [] : [field(delta ? 6 : 5, nonce)]),
    ])
  }
}

/** A google.protobuf.Struct with one text. */
function metadata(name: string, value: string): Buffer {
  return field(1, Buffer.concat([field(1, name), field(2, field(3, value))]))
}

/** A field with a length: all that a request has. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), bytes])
}

/** Fields 4 and 5 of a response of either protocol. All its fields have a length. */
function factsOf(bytes: Buffer): { readonly type: string; readonly nonce: string } {
  const found = ["", ""]
  for (let at = 0; at < bytes.length; ) {
    const number = bytes[at++]! >> 3
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if (number === 4 || number === 5) found[number - 4] = bytes.toString("utf8", at, at + length)
    at += length
  }
  return { type: found[0]!, nonce: found[1]! }
}
