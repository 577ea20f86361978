// Real xDS clients on our server: npm run test:xds [-- envoy grpc-js c-core traffic]
import { fileURLToPath } from "node:url"
import { binary, ensure } from "../../tools/components/index.ts"
import { Tally } from "../real/tally.ts"
import { envoyBootstrapSuite } from "./envoy-bootstrap-suite.ts"
import { envoySuite } from "./envoy-suite.ts"
import { envoyTtlSuite } from "./envoy-ttl-suite.ts"
import { grpcSuite } from "./grpc-suite.ts"
import { type GrpcProgram, trafficSuite } from "./traffic-suite.ts"

const asked = process.argv.length > 2 ? process.argv.slice(2) : ["envoy", "grpc-js", "c-core", "traffic"]
const tally = new Tally(console.log)

const grpcJs = [process.execPath, [...process.execArgv, beside("grpc-js-client.ts")]] as const
if (asked.includes("grpc-js")) await grpcSuite(tally, "grpc-js", ...grpcJs)
if (asked.includes("c-core")) await tryCCore()
if (asked.includes("envoy")) await tryEnvoy()
if (asked.includes("traffic")) await tryTraffic()
console.log(String(tally))
process.exitCode = tally.failed === 0 ? 0 : 1

async function tryEnvoy(): Promise<void> {
  const program = await find("envoy", "envoy")
  if (program === undefined) return
  await envoyBootstrapSuite(tally, program)
  for (const protocol of ["sotw", "delta"] as const) {
    await envoySuite(tally, program, protocol)
    await envoyTtlSuite(tally, program, protocol)
  }
}

async function tryCCore(): Promise<void> {
  const program = await find("grpcio", "python-grpcio")
  if (program !== undefined) await grpcSuite(tally, "c-core", program, [beside("c-core-client.py")])
}

async function tryTraffic(): Promise<void> {
  const python = await find("grpcio", "python-grpcio")
  const grpc: Record<string, GrpcProgram> = { "grpc-js": grpcJs }
  if (python !== undefined) grpc["C-core"] = [python, [beside("c-core-client.py")]]
  await trafficSuite(tally, { envoy: await find("envoy", "envoy"), grpc })
}

/** A real component; where it cannot be had, the reason is printed. */
async function find(component: string, name: string): Promise<string | undefined> {
  try {
    await ensure(component, { onProgress: console.log })
  } catch (error) {
    tally.skip(component, error instanceof Error ? error.message : String(error))
    return undefined
  }
  return binary(component, name)
}

function beside(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
