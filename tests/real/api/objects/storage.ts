import { type JsonObject, type SampleObject, sample } from "./object.ts"

const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5Gi" } } }

function volume(name: string, source: JsonObject): SampleObject {
  return sample("v1", "PersistentVolume", name, { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...source } })
}

export const storage: readonly SampleObject[] = [
  sample("v1", "PersistentVolumeClaim", "small", { spec: claim }),
  sample("v1", "PersistentVolume", "small", {
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      csi: { driver: "csi.test", volumeHandle: "v", volumeAttributes: { a: "b" } },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "Exists" }] }] } },
    },
  }),
  sample("v1", "PersistentVolume", "path", {
    spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteMany"], hostPath: { path: "/data" }, storageClassName: "slow" },
  }),
  volume("iscsi", { iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.2001-04.com.test:a", lun: 1 } }),
  volume("rbd", { rbd: { monitors: ["10.0.0.1:6789"], image: "i" } }),
  volume("scaleio", {
    scaleIO: { gateway: "https://gateway.test", system: "s", volumeName: "v", secretRef: { name: "s", namespace: "judged" } },
  }),
  sample("storage.k8s.io/v1", "StorageClass", "slow", {
    provisioner: "csi.test",
    parameters: { type: "hdd" },
    mountOptions: ["ro"],
    allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a"] }] }],
  }),
  sample("storage.k8s.io/v1", "VolumeAttachment", "small", {
    spec: { attacher: "csi.test", nodeName: "rich", source: { persistentVolumeName: "small" } },
  }),
  sample("storage.k8s.io/v1", "CSIDriver", "csi.test", { spec: { tokenRequests: [{ audience: "a", expirationSeconds: 3600 }] } }),
  sample("storage.k8s.io/v1", "CSINode", "rich", {
    spec: { drivers: [{ name: "csi.test", nodeID: "n", topologyKeys: ["zone"], allocatable: { count: 3 } }] },
  }),
  sample("storage.k8s.io/v1", "CSIStorageCapacity", "small", {
    storageClassName: "slow",
    capacity: "2500Mi",
    nodeTopology: { matchLabels: { zone: "a" } },
  }),
  sample("storage.k8s.io/v1", "VolumeAttributesClass", "small", { driverName: "csi.test", parameters: { iops: "100" } }),
  sample("resource.k8s.io/v1", "DeviceClass", "small", { spec: { selectors: [{ cel: { expression: "device.driver == 'dra.test'" } }] } }),
  sample("resource.k8s.io/v1", "ResourceClaim", "small", {
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "small" } }] } },
  }),
  sample("resource.k8s.io/v1", "ResourceClaim", "rich", {
    spec: {
      devices: {
        requests: [
          { name: "gpu", firstAvailable: [{ name: "big", deviceClassName: "small", count: 2, allocationMode: "ExactCount" }] },
          {
            name: "net",
            exactly: { deviceClassName: "small", allocationMode: "All", tolerations: [{ key: "a", value: "b", effect: "NoSchedule" }] },
          },
        ],
        config: [
          {
            requests: ["net"],
            opaque: { driver: "dra.test", parameters: { apiVersion: "dra.test/v1", kind: "Settings", depth: [1, { a: null }] } },
          },
        ],
      },
    },
  }),
  sample("resource.k8s.io/v1", "ResourceClaimTemplate", "small", {
    spec: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "small", adminAccess: false } }] } } },
  }),
  sample("resource.k8s.io/v1", "ResourceSlice", "small", {
    spec: {
      driver: "dra.test",
      nodeName: "rich",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices: [
        {
          name: "gpu-0",
          attributes: { model: { string: "x" }, cores: { int: 8 }, fast: { bool: true }, version: { version: "1.2.3" } },
          capacity: { memory: { value: "16Gi" } },
        },
      ],
    },
  }),
]
