import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startCluster } from "./cluster.ts"

/** What a user does with the streams of pods. */
interface StreamUser {
  readonly program: string
  readonly directory: string
  readonly env: NodeJS.ProcessEnv
}

const serve = 'require("http").createServer((request, response) => response.end("served " + request.url)).listen(8080, process.env.POD_IP)'

/** Two containers that are processes, and a pod that is simulated. */
export const streamPods = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "streams", labels: { app: "streams" } },
      spec: {
        containers: [
          {
            name: "main",
            image: "process",
            command: ["sh", "-c", 'while read line; do echo "got $line"; done; sleep 1000'],
            env: [{ name: "GREETING", value: "hello" }],
            stdin: true,
          },
          { name: "web", image: "process", command: [process.execPath, "-e", serve], ports: [{ containerPort: 8080 }] },
        ],
      },
    },
    { apiVersion: "v1", kind: "Pod", metadata: { name: "simulated" }, spec: { containers: [{ name: "main", image: "web" }] } },
  ],
})

const service = JSON.stringify({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "streams" },
  spec: { selector: { app: "streams" }, ports: [{ name: "web", port: 80, targetPort: 8080 }] },
})

/** Tries exec, cp, attach, debug and port-forward on a cluster of `up --exec`. Gives what is wrong with each, or nothing. */
export async function streamOutcomes(kubectl: string): Promise<readonly (readonly [string, string | undefined])[]> {
  await using cluster = await startCluster("--exec")
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: cluster.directory }
  const user = { program: kubectl, directory: cluster.directory, env }
  run(user, ["apply", "-f", "-"], service)
  const made = run(user, ["apply", "-f", "-"], streamPods)
  const ready = run(user, ["wait", "--for=condition=Ready", "pod/streams", "pod/simulated", "--timeout=30s"])
  if (ready.code !== 0) return [["pods with streams", `${made.said}${ready.said}`]]
  const command = ["exec", "streams", "-c", "main", "--"]
  const proxies = [
    expected(
      "get --raw of a pod's proxy",
      run(user, ["get", "--raw", `${core}/pods/streams:8080/proxy/a/b?c=1`]),
      0,
      /^served \/a\/b\?c=1$/,
    ),
    expected("get --raw of a simulated pod's proxy", run(user, ["get", "--raw", `${core}/pods/simulated:80/proxy/`]), 0, /simulated/),
    expected("get --raw of a Service's proxy", run(user, ["get", "--raw", `${core}/services/streams:web/proxy/`]), 0, /^served \/$/),
    expected(
      "get --raw of a port that no Service has",
      run(user, ["get", "--raw", `${core}/services/streams:81/proxy/`]),
      1,
      /no service port 81 found for service "streams"/,
    ),
    await proxied(user),
  ]
  const outcomes = [
    expected("exec", run(user, [...command, "sh", "-c", "echo $GREETING; exit 3"]), 3, /^hello\n/),
    expected("exec -i", run(user, ["exec", "-i", "streams", "-c", "main", "--", "cat"], "from here"), 0, /^from here/),
    expected(
      "exec over SPDY",
      run({ ...user, env: { ...env, KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" } }, [...command, "pwd"]),
      0,
      /^\//,
    ),
    expected("exec of nothing", run(user, [...command, "no-such"]), 1, /executable file not found in \$PATH/),
    expected("exec in a simulated pod", run(user, ["exec", "simulated", "--", "ls"]), 1, /it is simulated and has no process/),
    copied(user),
    expected("debug", debug(user), 0, /looked/),
  ] as const
  return [
    ...proxies,
    ...outcomes,
    await attached(user),
    await forwarded(user, "streams", /^served \/path$/),
    await forwarded(user, "simulated", /simulated/),
  ]
}

const core = "/api/v1/namespaces/default"

/** A browser's way: `kubectl proxy`, and a plain request to it. */
async function proxied({ program, env }: StreamUser): Promise<readonly [string, string | undefined]> {
  const child = spawn(program, ["proxy", "--port=0"], { env, stdio: ["ignore", "pipe", "ignore"] })
  try {
    const [, port] = await said(child, /Starting to serve on 127\.0\.0\.1:(\d+)/)
    const found: string[] = []
    for (const path of ["pods/streams:8080/proxy/x", "services/streams:web/proxy/y", "services/streams:80/proxy"]) {
      found.push(await (await fetch(`http://127.0.0.1:${port}${core}/${path}`)).text())
    }
    const wanted = "served /x, served /y, served /"
    return ["proxy", found.join(", ") === wanted ? undefined : `expected ${wanted}, found ${found.join(", ")}`]
  } catch (error) {
    return ["proxy", error instanceof Error ? error.message : String(error)]
  } finally {
    child.kill()
  }
}

/** What the output of a program says sooner or later. Rejects when it ends before. */
function said(child: ChildProcess, says: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let all = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      all += chunk.toString()
      const found = says.exec(all)
      if (found !== null) resolve(found)
    })
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${all}`)))
  })
}

interface Ran {
  readonly code: number | null
  readonly said: string
}

function run({ program, env, directory: cwd }: StreamUser, args: readonly string[], input?: string): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, input, encoding: "utf8", timeout: 60_000 })
  return { code: status, said: stdout + stderr }
}

function expected(what: string, { code, said }: Ran, wanted: number, says: RegExp): readonly [string, string | undefined] {
  if (code !== wanted) return [what, `expected exit code ${wanted}, found ${code}: ${said}`]
  return [what, says.test(said) ? undefined : `expected ${says}, found ${said}`]
}

/** Ten megabytes there and back. */
function copied(user: StreamUser): readonly [string, string | undefined] {
  const [from, there, back] = ["from", "there", "back"].map((name) => join(user.directory, name))
  writeFileSync(from!, randomBytes(10_000_000))
  const steps = [run(user, ["cp", "from", `streams:${there}`, "-c", "main"]), run(user, ["cp", `streams:${there}`, "back", "-c", "main"])]
  const problem = steps.find(({ code }) => code !== 0)?.said
  return ["cp", problem ?? (readFileSync(from!).equals(readFileSync(back!)) ? undefined : "the file has come back otherwise")]
}

function debug(user: StreamUser): Ran {
  const args = ["debug", "streams", "--image=process", "--container=look", "-i", "--", "sh", "-c", "sleep 1; echo looked"]
  return run(user, args)
}

async function attached({ program, env }: StreamUser): Promise<readonly [string, string | undefined]> {
  const child = spawn(program, ["attach", "-i", "streams", "-c", "main"], { env, stdio: ["pipe", "pipe", "ignore"] })
  const problem = await saying(child.stdout, /got first/, () => child.stdin.write("first\n"))
  child.kill()
  return ["attach", problem]
}

/** Waits until an output says something, for 20 s. */
function saying(output: NodeJS.ReadableStream, says: RegExp, ask: () => void): Promise<string | undefined> {
  let said = ""
  ask()
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(`expected ${says} within 20 s, found ${said}`), 20_000)
    output.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (!says.test(said)) return
      clearTimeout(late)
      resolve(undefined)
    })
  })
}

async function forwarded({ program, env }: StreamUser, pod: string, answers: RegExp): Promise<readonly [string, string | undefined]> {
  const child = spawn(program, ["port-forward", `pod/${pod}`, ":8080"], { env, stdio: ["ignore", "pipe", "ignore"] })
  try {
    const [, port] = await said(child, /Forwarding from 127\.0\.0\.1:(\d+)/)
    for (let turn = 0; turn < 3; turn++) {
      const said = await (await fetch(`http://127.0.0.1:${port}/path`)).text()
      if (!answers.test(said)) return [`port-forward to ${pod}`, `expected ${answers}, found ${said}`]
    }
    return [`port-forward to ${pod}`, undefined]
  } catch (error) {
    return [`port-forward to ${pod}`, error instanceof Error ? error.message : String(error)]
  } finally {
    child.kill()
  }
}
