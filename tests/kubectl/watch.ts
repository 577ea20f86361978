import { spawn, spawnSync } from "node:child_process"

/** Starts `kubectl get pods -w`, makes a pod and ends when the watch has shown it run. Gives what is wrong, or nothing. */
export async function watchSeesPodsCome(kubectl: string, env: NodeJS.ProcessEnv, cwd: string): Promise<string | undefined> {
  const watch = spawn(kubectl, ["get", "pods", "-w", "--request-timeout=30s"], { env, cwd, stdio: ["ignore", "pipe", "pipe"] })
  let shown = ""
  const seen = new Promise<string | undefined>((resolve) => {
    watch.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (/watched +1\/1 +Running/.test(shown)) resolve(undefined)
    })
    watch.on("exit", () => resolve(`the watch ended and showed ${shown}`))
  })
  // Whether the pod is there before the watch begins or comes after it, the watch has to show it.
  const made = spawnSync(kubectl, ["run", "watched", "--image=example/watched:1"], { env, cwd, encoding: "utf8" })
  const problem = made.status === 0 ? await seen : made.stderr
  watch.kill("SIGINT")
  spawnSync(kubectl, ["delete", "pod", "watched"], { env, cwd })
  return problem
}
