import * as grpc from "@grpc/grpc-js"

/** A gRPC server that answers with its name. */
export class GrpcBackend implements AsyncDisposable {
  readonly #server = new grpc.Server()
  port = 0

  constructor(name: string) {
    const asIs = (bytes: Buffer) => bytes
    const codec = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs }
    const definition = { Who: { path: "/test.Who/Who", requestStream: false, responseStream: false, ...codec } }
    this.#server.addService(definition, {
      Who: (_call: unknown, answer: (error: null, value: Buffer) => void) => answer(null, Buffer.from(name)),
    })
  }

  async start(): Promise<this> {
    this.port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      )
    })
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown()
  }
}
