import type { Step } from '@fairlead/control';
import { armName, type CallOptions, type ServiceRequest } from '../../arm/index.ts';
import { withStableMessage } from './azure-errors.ts';
import type { ResourceStep } from './plan.ts';
import type { Repository } from './repository.ts';

type StepText = Pick<Step, 'name' | 'ifItDiesHere'>;

const PUTS: Readonly<Record<ResourceStep['resource'], StepText>> = {
  publicIPAddresses: {
    name: 'put-public-ip',
    ifItDiesHere:
      'The address carries its marks; the next leader lists it and goes on with what uses it, or sweeps it.',
  },
  loadBalancers: {
    name: 'put-load-balancer',
    ifItDiesHere:
      'The load balancer carries its marks and takes no traffic; the next leader lists it and registers it.',
  },
  natGateways: {
    name: 'put-nat-gateway',
    ifItDiesHere: 'The NAT gateway carries its marks and takes no traffic; the next leader lists it and registers it.',
  },
};

const DELETIONS: Readonly<Record<ResourceStep['resource'], StepText>> = {
  publicIPAddresses: {
    name: 'delete-public-ip',
    ifItDiesHere: 'Nothing is left outside; the next leader finds nothing to delete and lets go of the Service.',
  },
  loadBalancers: {
    name: 'delete-load-balancer',
    ifItDiesHere: 'The public address is left with its marks; the next leader lists it and deletes it.',
  },
  natGateways: {
    name: 'delete-nat-gateway',
    ifItDiesHere: 'The public addresses are left with their marks; the next leader lists them and deletes them.',
  },
};

const REGISTER: StepText = {
  name: 'register',
  ifItDiesHere: 'The gateway knows the service; the next leader lists it and puts its addresses under it.',
};
const UNREGISTER: StepText = {
  name: 'unregister',
  ifItDiesHere: 'What the service had in Azure is left with its marks; the next leader lists it and deletes it.',
};

/** The planned writes as steps that can be run and are recorded. */
export function toSteps(repository: Repository, planned: readonly ResourceStep[], options: CallOptions): Step[] {
  return planned.map((step) => ({
    ...stepText(step),
    call: `${step.kind === 'put' ? 'PUT' : 'DELETE'} ${step.resource}`,
    run: (signal) => stable(repository.perform(step, { ...options, signal })),
  }));
}

/** The same for a service's entry in an updateServices, which `submit` sends together with those of others. */
export function registrationStep(request: ServiceRequest, submit: () => Promise<void>): Step {
  return { ...registrationText(request), call: 'POST updateServices', run: () => stable(submit()) };
}

const DETACHMENT: StepText = {
  name: 'detach-nat-gateway',
  ifItDiesHere:
    'The NAT gateway is left with its marks and serves no gateway; the next leader lists it and deletes it.',
};

export function stepText(step: ResourceStep): StepText {
  if (step.kind === 'put' && step.isDetachment === true) {
    return { ...DETACHMENT, name: `${DETACHMENT.name} ${armName(step.id)}` };
  }
  const { name, ifItDiesHere } = (step.kind === 'put' ? PUTS : DELETIONS)[step.resource];
  return { name: `${name} ${armName(step.id)}`, ifItDiesHere };
}

export function registrationText({ isDelete }: ServiceRequest): StepText {
  return isDelete ? UNREGISTER : REGISTER;
}

async function stable(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    throw withStableMessage(error);
  }
}
