import { isAlreadyExists, isNotFound } from "@pilothouse/api"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import { type Certificates, certificateAuthority, tokenSigner } from "@pilothouse/apiserver"
import { isCloudController } from "@pilothouse/cloud"
import { controllersOfVersions, createControllers, type Signers, signerNames } from "@pilothouse/controllers"
import { registerSimulatedNodes, untilNodesReady } from "@pilothouse/nodes"
import type { Client, Controller, Manager } from "@pilothouse/runtime"
import { lazy, type Metrics, messageOf } from "@pilothouse/seams"
import type { EmbeddedClusterOptions } from "./cluster.ts"

const podAddresses = "10.244.0.0/14"
/** Those that are on by default, and two that kubeadm turns on, for nodes that join. */
const upControllers = ["*", "bootstrap-signer-controller", "token-cleaner-controller"]
/** Makes the account that pods of a namespace are refused without. */
const accountController = "serviceaccount-controller"

/** The controllers of the controller manager, with what those of an embedded cluster need. */
export function kubernetesControllers(
  { dataDirectory, ephemeral, files, controllers, controllerSettings, enabledVersions }: EmbeddedClusterOptions,
  { ca, serviceAccount }: Certificates,
  metrics: Metrics,
): readonly Controller[] {
  return createControllers({
    select: [...(controllers ?? upControllers), ...(controllers === undefined ? controllersOfVersions(enabledVersions) : [])].filter(
      (word) => !isCloudController(word),
    ),
    settings: {
      // Simulated nodes bring a block of these with them; nodes that users make get one too.
      "allocate-node-cidrs": true,
      "cluster-cidr": podAddresses,
      "enable-hostpath-provisioner": true,
      // There is one API server, and it has seen what it was asked to delete.
      "namespace-deletion-grace": "0s",
      ...controllerSettings,
    },
    needs: {
      metrics,
      files,
      rootCa: ca.certificate,
      signToken: tokenSigner(serviceAccount.key),
      signers: clusterSigners(ca),
      // What a cluster that forgets its objects has made on the disk must not be mistaken for that of one that does not.
      volumeRoot: `${dataDirectory}/${ephemeral ? "volumes-ephemeral" : "volumes"}`,
    },
  })
}

/** The cluster's authority signs for all signers. Its key is read when the first request is approved. */
function clusterSigners(ca: Certificates["ca"]): Signers {
  const authority = lazy(() => certificateAuthority(ca))
  return Object.fromEntries(Object.values(signerNames).map((name) => [name, authority]))
}

interface StartControllersOptions extends Pick<EmbeddedClusterOptions, "clock" | "exec" | "log" | "nodes"> {
  /** All processes share the one loopback address of this system. */
  readonly oneAddress: boolean
  /** Those of the controller manager among all that the manager runs. */
  readonly kubernetes: readonly Controller[]
}

/** Creates as the administrator what a cluster begins with. Ends when the controllers run and the nodes they begin with are Ready. */
export async function startControllers(
  manager: Manager,
  admin: Client,
  { nodes, exec, oneAddress, clock, log, kubernetes }: StartControllersOptions,
): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  const running = manager
    .run(stopping.signal)
    .catch((error: unknown) => log.error("the controllers have stopped", { error: messageOf(error) }))
  const stop = async () => {
    stopping.abort()
    await running
  }
  try {
    await Promise.all([registerSimulatedNodes(admin, nodes, { exec, oneAddress, signal: stopping.signal }), ensureStorageClass(admin)])
    const makesAccounts = kubernetes.some(({ name }) => name === accountController)
    // A user who reads "up" and types "kubectl get nodes" sees them Ready, and a first pod is admitted.
    const wait = () => clock.sleep(5, { name: "the cluster becomes ready" })
    await Promise.all([untilNodesReady(admin, wait), makesAccounts && waitForDefaultServiceAccount(admin, wait)])
  } catch (error) {
    await stop()
    throw error
  }
  return { [Symbol.asyncDispose]: stop }
}

/** What a claim that names no class gets: a directory of this machine. */
const standard: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/host-path",
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
}

/** One that is there, changed or not, stays as it is. */
async function ensureStorageClass(client: Client): Promise<void> {
  try {
    await client.create(storageClasses, standard)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Pods of the namespace default are refused until a controller has made its account. */
async function waitForDefaultServiceAccount(client: Client, wait: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await client.get(serviceAccounts, "default/default")
      return
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    await wait()
  }
}
