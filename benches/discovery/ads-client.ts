import * as grpc from "@grpc/grpc-js"

const endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService"
const asIs = (bytes: Buffer) => bytes

/** A raw ADS client on a connection of its own: reads no more of a response than its nonce, and accepts everything. */
export class AdsClient {
  readonly #client: grpc.Client
  readonly #call: grpc.ClientDuplexStream<Buffer, Buffer>
  readonly #names: readonly string[]
  readonly #delta: boolean
  #onResponse: ((bytes: number) => void) | undefined
  received = 0
  bytes = 0

  constructor(port: number, id: string, names: readonly string[], delta = false) {
    this.#names = names
    this.#delta = delta
    this.#client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.max_receive_message_length": -1,
    })
    const method = delta ? "DeltaAggregatedResources" : "StreamAggregatedResources"
    this.#call = this.#client.makeBidiStreamRequest(`${service}/${method}`, asIs, asIs)
    this.#call.on("error", () => undefined)
    this.#call.on("data", (bytes: Buffer) => this.#take(bytes))
    this.#call.write(this.#request("", { id: `sidecar~127.0.0.1~${id}.bench~bench.svc.cluster.local` }))
  }

  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#onResponse = resolve
    })
  }

  close(): void {
    this.#call.cancel()
    this.#client.close()
  }

  #take(bytes: Buffer): void {
    this.received++
    this.bytes += bytes.length
    this.#call.write(this.#request(nonceOf(bytes), undefined))
    const tell = this.#onResponse
    this.#onResponse = undefined
    tell?.(bytes.length)
  }

  #request(nonce: string, node: { readonly id: string } | undefined): Buffer {
    const names = !this.#delta || node !== undefined ? this.#names : []
    return Buffer.concat([
      ...(node === undefined ? [] : [field(this.#delta ? 1 : 2, field(1, node.id))]),
      field(this.#delta ? 2 : 4, endpointType),
      ...names.map((name) => field(3, name)),
      ...(nonce === "" ? [] : [field(this.#delta ? 6 : 5, nonce)]),
    ])
  }
}

/** A field with a length: all that a request has. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), bytes])
}

/** Field 5 of a response of either protocol. All its fields have a length. */
function nonceOf(bytes: Buffer): string {
  for (let at = 0; at < bytes.length; ) {
    const number = bytes[at++]! >> 3
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if (number === 5) return bytes.toString("utf8", at, at + length)
    at += length
  }
  return ""
}
