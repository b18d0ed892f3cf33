import type { JsonObject } from '@fairlead/sim/kube/contract';
import { Dice } from './dice.ts';
import { type FuzzedKind, KINDS } from './kinds/index.ts';
import { ObjectMaker } from './objects.ts';
import { dryRunOption, listQuery, PAGING, WATCH_STARTS, writeQuery } from './queries.ts';
import type { FuzzRequest } from './request.ts';

const FEWEST_REQUESTS = 6;
const MOST_REQUESTS = 24;
const KINDS_AT_ONCE = 2;

/** The requests of a seed: the same ones every time. */
export function requestsOf(seed: number): readonly FuzzRequest[] {
  const dice = new Dice(seed);
  const kinds = Array.from({ length: KINDS_AT_ONCE }, () => dice.pick(...KINDS));
  const count = FEWEST_REQUESTS + dice.upTo(MOST_REQUESTS - FEWEST_REQUESTS);
  return Array.from({ length: count }, () => new RequestMaker(dice, dice.pick(...kinds)).make());
}

/** Makes one request about one object of a kind. */
class RequestMaker {
  readonly #dice: Dice;
  readonly #kind: FuzzedKind;
  readonly #collection: string;
  readonly #path: string;
  readonly #objects: ObjectMaker;

  constructor(dice: Dice, kind: FuzzedKind) {
    this.#dice = dice;
    this.#kind = kind;
    const { apiVersion, namespaced, plural } = kind;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const name = nameOf(dice, kind);
    this.#collection = namespaced ? `${root}/namespaces/<ns>/${plural}` : `${root}/${plural}`;
    this.#path = `${this.#collection}/${encodeURIComponent(name).replaceAll('%3Cns%3E', '<ns>')}`;
    this.#objects = new ObjectMaker(dice, kind, name, this.#path);
  }

  make(): FuzzRequest {
    const request = this.#dice.weighted<() => FuzzRequest>(
      [6, () => this.#create()],
      [3, () => this.#replace()],
      [6, () => this.#patch()],
      [2, () => this.#delete()],
      [1, () => this.#deleteCollection()],
      [1, () => this.#get()],
      [2, () => this.#list()],
      [1, () => this.#watch()],
      [1, () => this.#strange()],
    )();
    return this.#dice.chance(0.06) ? this.#withOddHeaders(request) : request;
  }

  #create(): FuzzRequest {
    const path = `${this.#collection}${writeQuery(this.#dice, this.#kind, 'create')}`;
    return { method: 'POST', path, body: this.#objects.text(this.#objects.whole('')) };
  }

  #replace(): FuzzRequest {
    const place = this.#place();
    const version = this.#dice.pick(`<version ${this.#path}>`, `<version ${this.#path}>`, '', '1');
    const body = this.#objects.text(this.#objects.at(place, version));
    return { method: 'PUT', path: `${place}${writeQuery(this.#dice, this.#kind, 'update')}`, body };
  }

  #patch(): FuzzRequest {
    const place = this.#place();
    const objects = this.#objects;
    const example = objects.at(place, '');
    return this.#dice.choose<FuzzRequest>(
      () => this.#patchAs('merge-patch+json', place, objects.text(objects.partial(example))),
      () =>
        this.#patchAs('strategic-merge-patch+json', place, objects.text(objects.directed(objects.partial(example)))),
      () => this.#patchAs('json-patch+json', place, objects.text(objects.operations())),
      () => this.#apply(place, example),
      () => this.#apply(place, example),
    );
  }

  #patchAs(type: string, place: string, body: string): FuzzRequest {
    const path = `${place}${writeQuery(this.#dice, this.#kind, 'update')}`;
    return { method: 'PATCH', path, contentType: `application/${type}`, body };
  }

  #apply(place: string, example: JsonObject): FuzzRequest {
    const dice = this.#dice;
    const options = [
      `fieldManager=${dice.pick('one', 'one', 'two', 'three', '', 'a%00b', 'x'.repeat(129))}`,
      dice.pick('', '', 'force=true', 'force=false'),
      dryRunOption(dice, this.#kind, 'create'),
    ];
    const path = `${place}?${options.filter((option) => option !== '').join('&')}`;
    return { method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body: this.#objects.text(example) };
  }

  #delete(): FuzzRequest {
    const dice = this.#dice;
    const dryRun = dryRunOption(dice, this.#kind, 'delete');
    const path = this.#path;
    if (dice.chance(0.4)) return { method: 'DELETE', path: dryRun === '' ? path : `${path}?${dryRun}` };
    // A body in place of the options would make a dry run a real one.
    const mayBeWrong = dryRun === '';
    const options = this.#objects.deletion(!mayBeWrong);
    const content = mayBeWrong && dice.chance(0.15) ? this.#objects.whole('') : options;
    return { method: 'DELETE', path, body: this.#objects.text(content, mayBeWrong ? 0.1 : 0) };
  }

  #deleteCollection(): FuzzRequest {
    if (!this.#kind.namespaced) return this.#delete();
    return { method: 'DELETE', path: `${this.#collection}${listQuery(this.#dice, this.#kind, [])}` };
  }

  #get(): FuzzRequest {
    const query = this.#dice.pick('', '', '', '?resourceVersion=0', '?resourceVersion=abc', '?pretty=true');
    return { method: 'GET', path: `${this.#place()}${query}` };
  }

  #list(): FuzzRequest {
    const firstPage = `${this.#collection}${listQuery(this.#dice, this.#kind, ['limit=1'], false)}`;
    const paging = this.#dice.pick(...PAGING).map((option) => option.replace('<page>', `<continue ${firstPage}>`));
    return { method: 'GET', path: `${this.#collection}${listQuery(this.#dice, this.#kind, paging)}` };
  }

  #watch(): FuzzRequest {
    const options = ['watch=1', ...this.#dice.pick(...WATCH_STARTS)];
    return { method: 'GET', path: `${this.#collection}${listQuery(this.#dice, this.#kind, options)}` };
  }

  /** A path that a client would hardly take. */
  #strange(): FuzzRequest {
    const dice = this.#dice;
    const [collection, object] = [this.#collection, this.#path];
    const strange = dice.pick(
      `/${object}`,
      object.replace(/\/(?=[^/]+$)/, '//'),
      `${object}/`,
      `${object}%2Fb`,
      `${object}/nope`,
      `${object}/status/more`,
      `${collection}/constructor`,
      `${collection}/__proto__`,
      collection.replace('v1', 'v9'),
      collection.replace('<ns>', 'none'),
      collection.replace('/namespaces/', '/namespace/'),
      collection.replace(this.#kind.plural, 'constructor'),
    );
    // Without a namespace, a list has what other runs have made.
    const path = strange === collection ? object : strange;
    const method = dice.pick('GET', 'GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'HEAD', 'OPTIONS');
    if (method === 'DELETE') return { method, path: `${path}?dryRun=All` };
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { method, path };
    return { method, path, body: this.#objects.text(this.#objects.whole('')) };
  }

  #withOddHeaders(request: FuzzRequest): FuzzRequest {
    const dice = this.#dice;
    const metadata = 'g=meta.k8s.io;v=v1';
    return {
      ...request,
      ...dice.fields(0.4, {
        contentType: dice.pick('text/plain', 'application/json; charset=utf-8', 'application/yaml', 'APPLICATION/JSON'),
        accept: dice.pick(
          '*/*',
          'application/*',
          'text/plain',
          `application/json;as=PartialObjectMetadata;${metadata}`,
          `application/json;as=PartialObjectMetadataList;${metadata},application/json`,
          'text/html, application/json;q=0.5',
        ),
        userAgent: dice.pick('kubectl/v1', '', '/', 'a b/c', `${'x'.repeat(130)}/1`),
      }),
    };
  }

  /** The object, or one of its subresources. */
  #place(): string {
    const { subresources } = this.#kind;
    if (subresources.length === 0 || this.#dice.chance(0.75)) return this.#path;
    return `${this.#path}/${this.#dice.pick(...subresources)}`;
  }
}

/** Few names, so that requests meet. */
function nameOf(dice: Dice, { namespaced }: FuzzedKind): string {
  const name = dice.chance(0.05)
    ? dice.pick('__proto__', 'constructor', 'A', 'a.b', 'a b', 'a%b', 'x'.repeat(254))
    : dice.pick('a', 'a', 'b');
  return namespaced ? name : `<ns>-${name}`;
}
