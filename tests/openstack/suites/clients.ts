import { keystoneContract } from "@pilothouse/openstack/contracts/keystone"
import { neutronContract } from "@pilothouse/openstack/contracts/neutron"
import { octaviaContract } from "@pilothouse/openstack/contracts/octavia"
import { realCloud } from "../real-cloud.ts"

keystoneContract("real", async () => realCloud())
neutronContract("real", async () => realCloud())
octaviaContract("real", async () => realCloud())
