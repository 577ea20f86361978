import { Server, ServerCredentials } from "@grpc/grpc-js"

/**
 * A container runtime without containers, on a Unix socket: enough of the CRI (runtime.v1) that a kubelet starts, finds it ready, and asks it to run
 * pods without effect. Messages are written by hand: a field is its number, its length and its bytes.
 */
export async function startContainerRuntime(socket: string): Promise<AsyncDisposable> {
  const server = new Server()
  for (const [service, answers] of Object.entries(services)) {
    const methods = Object.entries(answers).map(([name, answer]) => [name, methodOf(service, name, answer)] as const)
    const handlers = Object.fromEntries(methods.map(([name, { answer }]) => [name, answer]))
    server.addService(Object.fromEntries(methods.map(([name, { definition }]) => [name, definition])), handlers)
  }
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socket}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })
  return {
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  }
}

const nothing = Buffer.alloc(0)

function field(number: number, content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

function truth(number: number): Buffer {
  return Buffer.from([number << 3, 1])
}

const version = Buffer.concat([field(1, "0.1.0"), field(2, "none"), field(3, "1.0.0"), field(4, "v1")])
const conditions = ["RuntimeReady", "NetworkReady"].map((type) => field(1, Buffer.concat([field(1, type), truth(2)])))
/** The driver cgroupfs. */
const configuration = field(1, truth(1))

/** By service and method: the answer. A method that is not here is not implemented. */
const services: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  "runtime.v1.RuntimeService": {
    Version: version,
    Status: field(1, Buffer.concat(conditions)),
    RuntimeConfig: configuration,
    UpdateRuntimeConfig: nothing,
    ListPodSandbox: nothing,
    ListContainers: nothing,
    ListContainerStats: nothing,
    ListPodSandboxStats: nothing,
    ListMetricDescriptors: nothing,
    ListPodSandboxMetrics: nothing,
  },
  "runtime.v1.ImageService": { ListImages: nothing, ImageFsInfo: nothing, ImageStatus: nothing },
}

function methodOf(service: string, name: string, answer: Buffer) {
  const bytes = (value: Buffer) => value
  return {
    answer: (_call: unknown, respond: (error: null, value: Buffer) => void) => respond(null, answer),
    definition: {
      path: `/${service}/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  }
}
