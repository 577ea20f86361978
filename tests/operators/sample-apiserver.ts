import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { binary } from "../../tools/components/index.ts"
import { Child } from "../real/child.ts"
import { etcdFlags } from "../real/flags.ts"
import { freePorts } from "../real/free-ports.ts"
import { createLoopbackService } from "./loopback-service.ts"
import { hasCondition, type Operator } from "./operator.ts"

const group = "wardle.example.com"
const apiService = `v1alpha1.${group}`
const flunder = {
  apiVersion: `${group}/v1alpha1`,
  kind: "Flunder",
  metadata: { name: "a", namespace: "default" },
  spec: { reference: "b" },
}

/** Upstream's example of an extension API server, with an etcd of its own: kubectl works with its kinds as with any other. */
export const sampleApiServer: Operator = {
  name: "sample-apiserver",
  component: "sample-apiserver",
  module: "k8s.io/sample-apiserver",
  definitions: [],
  // Its endpoint is the loopback.
  up: ["--exec"],
  async story({ directory, kubeconfig, start, create, find, expect }) {
    const [client = 0, peer = 0, port = 0] = await freePorts(3)
    const etcd = binary("kubernetes", "etcd")
    const program = binary("kubectl", "kubectl")
    if (etcd === undefined || program === undefined) throw new Error("expected etcd and kubectl: npm run components -- kubernetes kubectl")
    const kubectl = async (...args: string[]) => (await promisify(execFile)(program, [`--kubeconfig=${kubeconfig}`, ...args])).stdout
    const refusal = (...args: string[]) => kubectl(...args).then(String, (error: { readonly stderr: string }) => error.stderr)
    const database = new Child({ name: "etcd", program: etcd, args: etcdFlags({ client, peer, directory: join(directory, "etcd") }) })
    try {
      await install(create, port)
      await expect("without a server its APIService is not available", async () =>
        hasCondition(await find("apiregistration.k8s.io/v1", "APIService", apiService), "Available", "False"),
      )
      await expect("its requests are answered as upstream does", async () =>
        (await refusal("get", "--raw", `/apis/${group}/v1alpha1/flunders`)).includes(
          "the server is currently unable to handle the request",
        ),
      )
      const kubeconfigs = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((flag) => `--${flag}=${kubeconfig}`)
      const own = [`--etcd-servers=http://127.0.0.1:${client}`, `--secure-port=${port}`, `--cert-dir=${join(directory, "certs")}`]
      start({ args: [...kubeconfigs, ...own] })
      await expect("it is available once it runs", async () =>
        hasCondition(await find("apiregistration.k8s.io/v1", "APIService", apiService), "Available"),
      )
      await expect("kubectl api-resources lists its kinds", async () =>
        (await kubectl("api-resources", `--api-group=${group}`)).includes("flunders"),
      )
      await expect("kubectl explain describes them", async () =>
        (await refusal("explain", "flunders.spec")).includes("KIND:       Flunder"),
      )
      await create(flunder as never)
      await expect("kubectl get reads one", async () => (await kubectl("get", "flunders", "a", "-o=jsonpath={.spec.reference}")) === "b")
      await expect("kubectl apply changes it, by server-side apply too", async () => {
        await kubectl(
          "apply",
          "--server-side",
          "--force-conflicts",
          "-f",
          await written(directory, { ...flunder, spec: { reference: "c" } }),
        )
        return (await kubectl("get", "flunders", "a", "-o=jsonpath={.spec.reference}")) === "c"
      })
      await expect("kubectl apply refuses an unknown field", async () => {
        const file = await written(directory, { ...flunder, spec: { nothing: 1 } })
        return (await refusal("apply", "-f", file)).includes("unknown field")
      })
      const watching = new Child({
        name: "kubectl",
        program,
        args: [`--kubeconfig=${kubeconfig}`, "get", "flunders", "-w", "--output-watch-events"],
      })
      await expect("kubectl get -w shows changes as they are made", async () => {
        await kubectl("label", "--overwrite", "flunders", "a", `at=${Date.now()}`)
        return watching.output.includes("MODIFIED")
      }).finally(() => watching.kill())
      await expect("a user without rights is refused before it is asked", async () =>
        (await refusal("get", "flunders", "--as=jane")).includes('User "jane" cannot list resource "flunders"'),
      )
      await kubectl("create", "clusterrole", "flunders", "--verb=get,list", `--resource=flunders.${group}`)
      await kubectl("create", "clusterrolebinding", "flunders", "--clusterrole=flunders", "--user=jane")
      await expect("it asks this server what a user may do", async () => (await kubectl("get", "flunders", "--as=jane")).includes("a "))
      await kubectl("delete", "flunders", "a")
      await expect("kubectl delete deletes it", async () => (await refusal("get", "flunders", "a")).includes("NotFound"))
    } finally {
      database.kill()
    }
  },
}

type Create = Parameters<Operator["story"]>[0]["create"]

/** As its own manifests do. */
async function install(create: Create, port: number): Promise<void> {
  const namespace = "wardle"
  const make = (object: object) => create(object as never)
  await make({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
  await createLoopbackService(create, { name: "api", namespace, port })
  const service = { name: "api", namespace }
  const spec = { group, version: "v1alpha1", groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service }
  await make({ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: apiService }, spec })
}

async function written(directory: string, object: object): Promise<string> {
  const file = join(directory, "flunder.json")
  await writeFile(file, JSON.stringify(object))
  return file
}
